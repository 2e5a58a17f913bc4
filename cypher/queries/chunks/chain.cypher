// purpose: order a document's chunks
// params: $rows [{a, b}] uids of neighbours
// returns: nothing
CYPHER 25
UNWIND $rows AS row
MATCH (a:Chunk {uid: row.a})
MATCH (b:Chunk {uid: row.b})
CREATE (a)-[:NEXT]->(b)
