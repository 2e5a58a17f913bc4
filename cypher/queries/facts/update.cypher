// purpose: write what is told anew of facts that are known, and where it stands
// params: $rows [{uid, chunk, start, end, properties}] $version
// returns: written; fewer than rows = the text was cut anew meanwhile
CYPHER 25
UNWIND $rows AS row
MATCH (f:Fact {uid: row.uid})
MATCH (c:Chunk {uid: row.chunk})
SET f += row.properties, f.stamp = $version
WITH f, c, row
CALL (f, c) { MATCH (f)-[old:GROUNDED_IN]->(other) WHERE other <> c DELETE old }
MERGE (f)-[g:GROUNDED_IN]->(c) SET g.start = row.start, g.end = row.end
RETURN count(f) AS written
