// purpose: documents, newest first, after a cursor
// params: $source (null = all) $after_mtime $after_uid (null = from the newest) $limit
// returns: document
CYPHER 25
MATCH (d:Document)-[:FROM]->(s:Source)
WHERE ($source IS NULL OR s.slug = $source)
  AND ($after_uid IS NULL OR d.mtime < $after_mtime OR d.mtime = $after_mtime AND d.uid > $after_uid)
RETURN d {.uid, .uri, .path, .title, .mime, .language, .class, .trust, .content_sha256, .bytes,
          .characters, .tokens, .chunks, .mtime, .created_at, .updated_at, source: s.slug,
          is_memory: d:Memory} AS document
ORDER BY d.mtime DESC, d.uid LIMIT $limit
