// purpose: the entities that these identities identify
// params: $keys
// returns: key, uid
CYPHER 25
UNWIND $keys AS key
MATCH (:Identity {key: key})-[:IDENTIFIES]->(e:Entity)
RETURN key, e.uid AS uid
