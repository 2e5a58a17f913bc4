// The vector index of one embedding model over chunks. params: $options (dimensions, HNSW)
CREATE VECTOR INDEX $$index IF NOT EXISTS FOR (n:Chunk) ON n.$$property
WITH [n.class, n.trust, n.source, n.category, n.created_at] OPTIONS $options;
