// purpose: forget searches older than the retention, a batch at a time
// params: $before $limit
// returns: removed
CYPHER 25
MATCH (e:SearchEvent) WHERE e.at < $before
WITH e LIMIT $limit
DETACH DELETE e
RETURN count(*) AS removed
