// purpose: register predicates
// params: $rows [{name, definition, functional, builtin}]
// returns: nothing
CYPHER 25
UNWIND $rows AS row
MERGE (p:Predicate {name: row.name})
SET p.definition = row.definition, p.functional = row.functional, p.builtin = row.builtin
