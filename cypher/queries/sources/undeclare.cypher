// purpose: mark the sources that garage.json declared and declares no longer
// params: $slugs (that it declares)
// returns: slug
CYPHER 25
MATCH (s:Source {standing: 'declared'}) WHERE NOT s.slug IN $slugs AND s.root <> 'memory://'
SET s.standing = 'undeclared'
RETURN s.slug AS slug ORDER BY slug
