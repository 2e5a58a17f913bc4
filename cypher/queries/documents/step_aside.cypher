// purpose: give kept documents another address where a source of another place claims theirs
// params: $uris $source
// returns: uid, uri
CYPHER 25
UNWIND $uris AS uri
MATCH (d:Document {uri: uri}) WHERE d.kept_from IS NOT NULL
MATCH (s:Source {slug: $source}) WHERE s.root <> d.kept_from
SET d.uri = d.uri + '#' + d.uid
RETURN d.uid AS uid, d.uri AS uri
