// purpose: some jobs of one state, of one kind or of all
// params: $$label (of the state) $kind (null = all) $after (uid; '' = from the first) $limit
// returns: uid, kind, state, content_sha256, document
CYPHER 25
MATCH (j:$$label) WHERE j.uid > $after AND ($kind IS NULL OR j.kind = $kind)
WITH j ORDER BY j.uid LIMIT $limit
OPTIONAL MATCH (j)-[:FOR]->(d:Document)
RETURN j.uid AS uid, j.kind AS kind, j.state AS state, j.content_sha256 AS content_sha256, d.uid AS document
ORDER BY uid
