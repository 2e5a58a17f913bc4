// purpose: the persons whose key is one of these names with a number
// params: $names (normalised)
// returns: name, numbers (of homonyms in use), alone (uid of the person known by the name alone, or null)
CYPHER 25
UNWIND $names AS name
MATCH (e:Entity {kind: 'person'})
WHERE e.key STARTS WITH name + '#' AND NOT substring(e.key, size(name) + 1) CONTAINS '#'
RETURN name, collect(toInteger(substring(e.key, size(name) + 1))) AS numbers,
       head(collect(CASE WHEN e.key = name + '#0' THEN e.uid END)) AS alone
