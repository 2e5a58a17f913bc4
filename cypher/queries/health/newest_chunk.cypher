// purpose: a chunk of the document that changed last, to search for it
// params: none
// returns: uid, text, waits (for the vector of a model)
CYPHER 25
MATCH (d:Document) WHERE d.mtime IS NOT NULL AND d.chunks > 0
WITH d ORDER BY d.mtime DESC LIMIT 1
MATCH (d)-[:HAS_CHUNK]->(c:Chunk)
RETURN c.uid AS uid, c.text AS text, c:Unembedded AS waits ORDER BY c.ordinal LIMIT 1
