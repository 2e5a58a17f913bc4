// purpose: forget files that are gone
// params: $keys
// returns: removed
CYPHER 25
UNWIND $keys AS key
MATCH (o:Outcome {key: key})
DETACH DELETE o
RETURN count(*) AS removed
