// purpose: the documents that a filter lets through
// params: $sources $classes $trusts $mimes $authors (names or identities, casefolded) $since $until; null = any
// returns: uid, chunks
CYPHER 25
MATCH (d:Document)
WHERE ($sources IS NULL OR d.source IN $sources)
  AND ($classes IS NULL OR d.class IN $classes)
  AND ($trusts IS NULL OR d.trust IN $trusts)
  AND ($mimes IS NULL OR any(mime IN $mimes WHERE d.mime = mime OR d.mime STARTS WITH mime + '/'))
  AND ($since IS NULL OR d.mtime >= $since)
  AND ($until IS NULL OR d.mtime < $until)
  AND ($authors IS NULL OR EXISTS {
    MATCH (d)-[:AUTHORED_BY]->(e:Entity)
    WHERE EXISTS { (e)-[:KNOWN_AS]->(a:Alias) WHERE a.key IN $authors }
       OR EXISTS { (i:Identity)-[:IDENTIFIES]->(e) WHERE i.key IN $authors }
  })
RETURN d.uid AS uid, d.chunks AS chunks
