// purpose: make a document a memory, or change what a memory is beside its text
// params: $uid $properties
// returns: uid
CYPHER 25
MATCH (d:Document {uid: $uid})
SET d:Memory, d += $properties
RETURN d.uid AS uid
