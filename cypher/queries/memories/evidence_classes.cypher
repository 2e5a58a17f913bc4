// purpose: the classes of what a memory rests on
// params: $uid
// returns: class
CYPHER 25
MATCH (m:Document:Memory {uid: $uid})-[:SUPPORTED_BY]->(e)
OPTIONAL MATCH (e)<-[:HAS_CHUNK]-(d:Document)
RETURN DISTINCT coalesce(d.class, e.class) AS class
