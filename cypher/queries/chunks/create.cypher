// purpose: create chunks, pending under every embedding model
// params: $rows [{document_uid, properties}] $now $version
// returns: nothing
CYPHER 25
UNWIND $rows AS row
MATCH (d:Document {uid: row.document_uid})
CREATE (d)-[:HAS_CHUNK]->(c:Chunk:Unembedded)
SET c = row.properties, c.created_at = $now, c.stamp = $version
