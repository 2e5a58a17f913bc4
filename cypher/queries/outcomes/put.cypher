// purpose: record what became of files
// params: $rows [{key, source, path, state, reason, stat, file_sha256, documents, chunks, retries}] $run $now
// returns: nothing
CYPHER 25
UNWIND $rows AS row
MERGE (o:Outcome {key: row.key})
SET o += row, o.run_uid = $run, o.at = $now
