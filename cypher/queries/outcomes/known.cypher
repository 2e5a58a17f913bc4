// purpose: what became of each file of a source the last time
// params: $source
// returns: path, state, reason, stat, file_sha256, documents, chunks, retries
CYPHER 25
MATCH (o:Outcome {source: $source})
RETURN o.path AS path, o.state AS state, o.reason AS reason, o.stat AS stat,
       o.file_sha256 AS file_sha256, o.documents AS documents, o.chunks AS chunks,
       coalesce(o.retries, 0) AS retries
