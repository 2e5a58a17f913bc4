// purpose: how many documents a source, or all of them, hold
// params: $source (null = all)
// returns: total
CYPHER 25
MATCH (d:Document) WHERE $source IS NULL OR d.source = $source RETURN count(d) AS total
