// purpose: what a hit shows, with the class, trust and source of its document
// params: $uids
// returns: uid, text, heading, ordinal, start, end, document, changed_s, changed_us (the rest of the second), authors
CYPHER 25
UNWIND $uids AS uid
MATCH (c:Chunk {uid: uid})<-[:HAS_CHUNK]-(d:Document)-[:FROM]->(s:Source)
CALL (d) {
  OPTIONAL MATCH (d)-[:AUTHORED_BY]->(e:Entity)
  WITH e ORDER BY e.name
  RETURN [name IN collect(e.name) | name] AS authors
}
RETURN c.uid AS uid, c.text AS text, c.heading AS heading, c.ordinal AS ordinal,
       c.start AS start, c.end AS end,
       d {.uid, .uri, .path, .title, .mime, .language, .class, .trust, .tokens,
          source: s.slug, is_memory: d:Memory, .origin, .client, .confirmed} AS document,
       d.mtime.epochSeconds AS changed_s, d.mtime.microsecond AS changed_us, authors
