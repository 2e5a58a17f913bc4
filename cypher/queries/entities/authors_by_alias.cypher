// purpose: the persons known by these names
// params: $keys (of aliases)
// returns: key, uid
CYPHER 25
UNWIND $keys AS key
MATCH (e:Entity {kind: 'person'})-[:KNOWN_AS]->(:Alias {key: key})
RETURN key, e.uid AS uid
