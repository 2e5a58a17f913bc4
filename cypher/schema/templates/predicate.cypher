// The uniqueness of a triple's uid within its type.
CREATE CONSTRAINT IF NOT EXISTS FOR ()-[r:$$type]-() REQUIRE r.uid IS UNIQUE;
