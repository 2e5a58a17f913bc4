// purpose: the vector lane, unfiltered
// params: $vector $k; $$index
// returns: uid, document, score (raw cosine, best first)
CYPHER 25
MATCH (c:Chunk) SEARCH c IN (VECTOR INDEX $$index FOR $vector LIMIT $k) SCORE AS s
RETURN c.uid AS uid, c.document_uid AS document, 2 * s - 1 AS score ORDER BY score DESC, c.content_sha256
