// purpose: the activity log, newest first
// params: $verb $actor (null = all) $before (uid, null = from the newest) $limit
// returns: activity
CYPHER 25
MATCH (a:Activity)
WHERE ($verb IS NULL OR a.verb = $verb) AND ($actor IS NULL OR a.actor = $actor)
  AND ($before IS NULL OR a.uid < $before)
RETURN a {.*} AS activity ORDER BY a.uid DESC LIMIT $limit
