// purpose: documents whose chunks do not partition their text: ordinals or places with gaps or overlaps
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (d:Document)-[:HAS_CHUNK]->(c:Chunk)
WITH d, c ORDER BY c.ordinal
WITH d, collect(c.ordinal) AS ordinals, collect(c.start) AS starts, collect(c.end) AS ends
WHERE ordinals <> range(0, size(ordinals) - 1)
   OR starts <> [0] + ends[..-1]
   OR ends[-1] <> d.characters
RETURN d.uri AS thing ORDER BY thing LIMIT $limit
