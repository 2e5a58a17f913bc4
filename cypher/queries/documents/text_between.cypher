// purpose: the chunks of a document that begin in a part of its text
// params: $uid $start $end (code points, half-open)
// returns: ordinal, start, end, heading, text, uid in order
CYPHER 25
MATCH (:Document {uid: $uid})-[:HAS_CHUNK]->(c:Chunk)
WHERE $start <= c.start AND c.start < $end
RETURN c.ordinal AS ordinal, c.start AS start, c.end AS end, c.heading AS heading, c.text AS text,
       c.uid AS uid
ORDER BY ordinal
