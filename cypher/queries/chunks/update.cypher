// purpose: move chunks that are kept to their new place
// params: $rows [{uid, properties}] $version
// returns: nothing
CYPHER 25
UNWIND $rows AS row
MATCH (c:Chunk {uid: row.uid})
SET c += row.properties, c.stamp = $version
