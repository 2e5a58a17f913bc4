// The lock under which migrations run, and the record of them.
CREATE CONSTRAINT schema_lock_name IF NOT EXISTS FOR (n:SchemaLock) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT schema_version IF NOT EXISTS FOR (n:SchemaVersion) REQUIRE n.version IS UNIQUE;
