// purpose: the searches of late
// params: $limit
// returns: event
CYPHER 25
MATCH (e:SearchEvent) RETURN e {.*} AS event ORDER BY e.at DESC, e.uid DESC LIMIT $limit
