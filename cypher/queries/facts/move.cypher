// purpose: facts whose words stand in another chunk from now on
// params: $rows [{uid, chunk, start, end}] $version
// returns: nothing
CYPHER 25
UNWIND $rows AS row
MATCH (f:Fact {uid: row.uid})
MATCH (c:Chunk {uid: row.chunk})
SET f.stamp = $version
WITH f, c, row
CALL (f) { MATCH (f)-[old:GROUNDED_IN]->() DELETE old }
MERGE (f)-[g:GROUNDED_IN]->(c) SET g.start = row.start, g.end = row.end
