// purpose: how many passages are of memories that take no part in a recall now, up to a limit of memories
// params: $now $most
// returns: memories (at most $most), chunks
CYPHER 25
CALL () {
  MATCH (d:Memory) WHERE d.status IN ['archived', 'superseded', 'resolved', 'dismissed']
  RETURN d LIMIT $most
UNION ALL
  MATCH (d:Memory) WHERE d.expires_at <= $now AND d.status = 'active'
  RETURN d LIMIT $most
}
WITH d LIMIT $most
RETURN count(d) AS memories, sum(d.chunks) AS chunks
