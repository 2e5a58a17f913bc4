// purpose: triples by rule that name another document than the one that they leave
// params: $limit
// returns: thing (what it is, at most $limit)
CYPHER 25
MATCH (d:Document)-[t:AUTHORED_BY|REPLIES_TO|IN_THREAD|ATTACHMENT_OF]->(o)
WHERE t.assigned_by = 'rule'
  AND (t.document_uid <> d.uid OR t.uid <> d.uid + ':' + type(t) + ':' + o.uid)
RETURN t.uid AS thing ORDER BY thing LIMIT $limit
