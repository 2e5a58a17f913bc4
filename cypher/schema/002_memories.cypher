// Memories, their earlier texts, core memory, and jobs.
CREATE CONSTRAINT memory_store_key IF NOT EXISTS FOR (n:Memory) REQUIRE n.store_key IS UNIQUE;
CREATE CONSTRAINT revision_uid IF NOT EXISTS FOR (n:Revision) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT core_block_name IF NOT EXISTS FOR (n:CoreBlock) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT job_uid IF NOT EXISTS FOR (n:Job) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT job_dedup_key IF NOT EXISTS FOR (n:Job) REQUIRE n.dedup_key IS UNIQUE;
CREATE INDEX memory_updated IF NOT EXISTS FOR (n:Memory) ON (n.updated_at);
CREATE INDEX memory_expires IF NOT EXISTS FOR (n:Memory) ON (n.expires_at);
CREATE INDEX revision_of IF NOT EXISTS FOR (n:Revision) ON (n.of);
CREATE INDEX queued_rank IF NOT EXISTS FOR (n:Queued) ON (n.rank);
