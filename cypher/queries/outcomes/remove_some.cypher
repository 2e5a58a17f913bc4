// purpose: forget the files of a source that is being removed, a batch at a time
// params: $source $limit
// returns: removed
CYPHER 25
MATCH (o:Outcome {source: $source})
WITH o LIMIT $limit
DETACH DELETE o
RETURN count(*) AS removed
