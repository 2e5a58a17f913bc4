// purpose: every index of the database, with how it stands
// params: none
// returns: name, kind, state, progress (percent), failure, dimensions (of a vector index)
CYPHER 25
SHOW INDEXES YIELD name, type, state, populationPercent, failureMessage, options
RETURN name, type AS kind, state, populationPercent AS progress, failureMessage AS failure,
       options['indexConfig']['vector.dimensions'] AS dimensions
ORDER BY name
