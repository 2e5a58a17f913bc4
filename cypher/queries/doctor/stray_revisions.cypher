// purpose: earlier texts of what is not there any more, and jobs for nothing
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
CALL () {
  MATCH (r:Revision)
  WHERE NOT EXISTS { MATCH (:Document {uid: r.of}) }
    AND NOT EXISTS { MATCH (b:CoreBlock) WHERE r.of = 'core:' + b.name }
  RETURN 'revision:' + r.uid AS thing
  UNION ALL
  MATCH (j:Job) WHERE NOT EXISTS { (j)-[:FOR]->() } RETURN 'job:' + j.uid AS thing
}
RETURN thing ORDER BY thing LIMIT $limit
