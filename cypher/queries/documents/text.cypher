// purpose: the text of a document, chunk by chunk
// params: $uid
// returns: ordinal, start, end, heading, text, uid in order
CYPHER 25
MATCH (:Document {uid: $uid})-[:HAS_CHUNK]->(c:Chunk)
RETURN c.ordinal AS ordinal, c.start AS start, c.end AS end, c.heading AS heading, c.text AS text,
       c.uid AS uid
ORDER BY ordinal
