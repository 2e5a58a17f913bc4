// purpose: hold the lock of the migrations until the transaction ends
// params: none
// returns: one row
CYPHER 25
MERGE (l:SchemaLock {name: 'schema'}) SET l.held = true RETURN l.name AS name
