// purpose: bind identities to their one entity
// params: $rows [{key, uid}]
// returns: nothing
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {uid: row.uid})
MERGE (i:Identity {key: row.key})
MERGE (i)-[:IDENTIFIES]->(e)
