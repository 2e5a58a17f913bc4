// purpose: the full-text lane over the chunks of some documents; no hit is lost to a limit
// params: $query (escaped Lucene) $k $documents (uids)
// returns: uid, score (unbounded, best first)
CYPHER 25
CALL db.index.fulltext.queryNodes('ft_chunk', $query) YIELD node, score
WHERE node.document_uid IN $documents
RETURN node.uid AS uid, score ORDER BY score DESC, node.content_sha256 LIMIT $k
