// purpose: sources with what they hold
// params: $slug (null = all)
// returns: slug, kind, root, default_class, default_trust, created_at, standing, ignore, patterns, tags, documents, chunks
CYPHER 25
MATCH (s:Source) WHERE $slug IS NULL OR s.slug = $slug
CALL (s) {
  OPTIONAL MATCH (s)<-[:FROM]-(d:Document)
  RETURN count(d) AS documents, coalesce(sum(d.chunks), 0) AS chunks
}
RETURN s.slug AS slug, s.kind AS kind, s.root AS root, s.default_class AS default_class,
       s.default_trust AS default_trust, s.created_at AS created_at, s.ignore AS ignore,
       coalesce(s.patterns, []) AS patterns, coalesce(s.tags, []) AS tags,
       CASE WHEN s.removing THEN 'removing' ELSE s.standing END AS standing, documents, chunks
ORDER BY slug
