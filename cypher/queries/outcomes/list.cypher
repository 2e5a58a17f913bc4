// purpose: the files of a source with what became of them
// params: $source (null = all) $states (null = all) $limit
// returns: source, path, state, reason, documents, chunks, at
CYPHER 25
MATCH (o:Outcome)
WHERE ($source IS NULL OR o.source = $source) AND ($states IS NULL OR o.state IN $states)
RETURN o.source AS source, o.path AS path, o.state AS state, o.reason AS reason,
       o.documents AS documents, o.chunks AS chunks, o.at AS at
ORDER BY source, path LIMIT $limit
