// purpose: write documents, new or changed
// params: $rows [{uri, uid, ix, source, properties}] $now $version
// returns: uri, uid
CYPHER 25
UNWIND $rows AS row
MATCH (s:Source {slug: row.source})
MERGE (d:Document {uri: row.uri})
  ON CREATE SET d.uid = row.uid, d.ix = row.ix, d.created_at = $now
SET d += row.properties, d.updated_at = $now, d.stamp = $version
WITH d, s
CALL (d, s) { MATCH (d)-[old:FROM]->(other) WHERE other <> s DELETE old }
MERGE (d)-[:FROM]->(s)
RETURN d.uri AS uri, d.uid AS uid
