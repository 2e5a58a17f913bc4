// purpose: the predicate table
// params: none
// returns: name, definition, functional, builtin
CYPHER 25
MATCH (p:Predicate)
RETURN p.name AS name, p.definition AS definition, p.functional AS functional, p.builtin AS builtin
ORDER BY name
