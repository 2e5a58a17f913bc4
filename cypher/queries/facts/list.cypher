// purpose: what a document states, in the order of its text; what has ended last
// params: $document $known_at (null = as known now) $as_of (null = at any time) $ended (true = with what has ended) $open $limit
// returns: fact, chunk, start, end
CYPHER 25
MATCH (d:Document {uid: $document})-[:STATES]->(f:Fact)
WHERE CASE WHEN $known_at IS NULL THEN $ended OR f.invalidated_at = $open
           ELSE f.created_at <= $known_at AND ($ended OR $known_at < f.invalidated_at) END
  AND ($as_of IS NULL OR f.valid_from <= $as_of AND $as_of < f.valid_to)
OPTIONAL MATCH (f)-[g:GROUNDED_IN]->(c:Chunk)
RETURN f {.uid, .text, .quote, .kind, .salience, .reasons, .confidence, .subject, .predicate, .object, .standing,
          .is_past, .granularity, .expression, .extractor, .status, .class, .trust, .valid_from, .valid_to,
          .created_at, .invalidated_at, .reason} AS fact,
       c.uid AS chunk, g.start AS start, g.end AS end
ORDER BY f.invalidated_at DESC, c.ordinal, g.start, f.uid LIMIT $limit
