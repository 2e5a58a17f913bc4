// purpose: record a search and what it returned
// params: $uid $properties $hits [{uid, rank, lane}]
// returns: nothing
CYPHER 25
MERGE (e:SearchEvent {uid: $uid}) SET e += $properties
WITH e
UNWIND $hits AS hit
MATCH (c:Chunk {uid: hit.uid})
MERGE (e)-[r:RETURNED]->(c) SET r.rank = hit.rank, r.lane = hit.lane
