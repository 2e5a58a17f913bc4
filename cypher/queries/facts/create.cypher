// purpose: write facts of a document; class, trust and source are its own
// params: $document $rows [{uid, chunk, start, end, properties}] $open $now $version
// returns: written; fewer than rows = the text was cut anew meanwhile
CYPHER 25
MATCH (d:Document {uid: $document})
UNWIND $rows AS row
MATCH (c:Chunk {uid: row.chunk})
MERGE (f:Fact {uid: row.uid})
  ON CREATE SET f += row.properties, f.level = 0, f.status = 'kept', f.class = d.class, f.trust = d.trust,
    f.source = d.source, f.created_at = $now, f.invalidated_at = $open
SET f.stamp = $version
MERGE (d)-[:STATES]->(f)
MERGE (f)-[g:GROUNDED_IN]->(c) SET g.start = row.start, g.end = row.end
RETURN count(f) AS written
