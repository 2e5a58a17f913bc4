// purpose: give documents whose text did not change the facts of their file
// params: $rows [{uid, properties}] $now $version
// returns: nothing
CYPHER 25
UNWIND $rows AS row
MATCH (d:Document {uid: row.uid})
SET d += row.properties, d.updated_at = $now, d.stamp = $version
