// purpose: what a source says of what is written to it; counts nothing, however much it holds
// params: $slug
// returns: class, trust
CYPHER 25
MATCH (s:Source {slug: $slug})
RETURN s.default_class AS class, s.default_trust AS trust
