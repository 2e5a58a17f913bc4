// purpose: aliases and identities that belong to nobody, and identities that belong to several
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
CALL () {
  MATCH (a:Alias) WHERE NOT EXISTS { (a)<-[:KNOWN_AS]-(:Entity) } RETURN 'alias:' + a.key AS thing
  UNION ALL
  MATCH (i:Identity) WHERE COUNT { (i)-[:IDENTIFIES]->(:Entity) } <> 1
  RETURN 'identity:' + i.key AS thing
}
RETURN thing ORDER BY thing LIMIT $limit
