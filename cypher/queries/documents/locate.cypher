// purpose: the documents that a name may mean: a uid, a uri, or a path
// params: $reference
// returns: uid
CYPHER 25
CALL () {
  MATCH (d:Document {uid: $reference}) RETURN d
  UNION
  MATCH (d:Document {uri: $reference}) RETURN d
  UNION
  MATCH (s:Source) MATCH (d:Document {source: s.slug, path: $reference}) RETURN d
}
RETURN d.uid AS uid
