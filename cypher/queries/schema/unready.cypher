// purpose: the indexes that are not online
// params: none
// returns: name, state, progress (percent)
CYPHER 25
SHOW INDEXES YIELD name, state, populationPercent WHERE state <> 'ONLINE'
RETURN name, state, populationPercent AS progress ORDER BY name
