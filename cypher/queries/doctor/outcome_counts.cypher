// purpose: stored files of which other documents are there than their outcome counts; none while a run is on
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (o:Outcome {state: 'stored'})
MATCH (s:Source {slug: o.source}) WHERE s.kind <> 'inbox' AND NOT coalesce(s.removing, false)
WITH o, COUNT { (d:Document {source: o.source, path: o.path}) } AS documents
WHERE documents <> o.documents
RETURN o.key AS thing ORDER BY thing LIMIT $limit
