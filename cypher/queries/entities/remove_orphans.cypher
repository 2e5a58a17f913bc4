// purpose: remove persons whom nothing mentions any more, with their names and identities
// params: $uids
// returns: removed
CYPHER 25
UNWIND $uids AS uid
MATCH (e:Entity:Author {uid: uid})
WHERE NOT EXISTS { (e)-[r]-() WHERE type(r) <> 'KNOWN_AS' AND type(r) <> 'IDENTIFIES' }
WITH collect(e) AS gone,
     collect([(e)-[:KNOWN_AS]->(a:Alias) | a]) AS names,
     collect([(i:Identity)-[:IDENTIFIES]->(e) | i]) AS identities
FOREACH (e IN gone | DETACH DELETE e)
FOREACH (each IN identities | FOREACH (i IN each | DETACH DELETE i))
WITH size(gone) AS removed, reduce(all = [], each IN names | all + each) AS aliases
CALL (aliases) {
  UNWIND aliases AS a
  WITH DISTINCT a WHERE NOT EXISTS { (a)<-[:KNOWN_AS]-(:Entity) }
  DELETE a
}
RETURN removed
