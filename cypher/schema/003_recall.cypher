// What a recall leaves out is counted by the index.
CREATE INDEX memory_status IF NOT EXISTS FOR (n:Memory) ON (n.status);
