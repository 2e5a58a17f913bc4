// purpose: say what a text that was handed over is, and by whom
// params: $uid $properties {kind, client, subjects, category}
// returns: uid
CYPHER 25
MATCH (d:Document {uid: $uid})
SET d += $properties
RETURN d.uid AS uid
