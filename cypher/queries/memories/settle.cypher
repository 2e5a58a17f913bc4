// purpose: archive, rehearse and promote memories, but those that were recalled since they were looked at
// params: $archive $rehearse $promote [{uid, recalls}] $now
// returns: archived, rehearsed, promoted
CYPHER 25
CALL () {
  UNWIND $archive AS row
  MATCH (d:Document:Memory {uid: row.uid}) WHERE d.status = 'active'
  SET d._lock = true REMOVE d._lock
  WITH d, row WHERE d.recall_count = row.recalls
  SET d.status = 'archived', d.archived_at = $now, d.store_key = null
  RETURN count(d) AS archived
}
CALL () {
  UNWIND $rehearse AS row
  MATCH (d:Document:Memory {uid: row.uid})
  SET d.rehearsed_at = $now
  RETURN count(d) AS rehearsed
}
CALL () {
  UNWIND $promote AS row
  MATCH (d:Document:Memory {uid: row.uid})
  SET d.tier = 'long'
  RETURN count(d) AS promoted
}
RETURN archived, rehearsed, promoted
