// purpose: the full-text lane
// params: $query (escaped Lucene) $k
// returns: uid, score (unbounded, best first)
CYPHER 25
CALL db.index.fulltext.queryNodes('ft_chunk', $query, {limit: $k}) YIELD node, score
RETURN node.uid AS uid, score ORDER BY score DESC, node.content_sha256
