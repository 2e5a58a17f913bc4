// purpose: what somebody names who means a memory: is it one, and may it be changed?
// params: $uid
// returns: uid, source, root, kind (of the source), path, is_memory, origin
CYPHER 25
MATCH (d:Document {uid: $uid})-[:FROM]->(s:Source)
RETURN d.uid AS uid, s.slug AS source, s.root AS root, s.kind AS kind, d.path AS path,
       d:Memory AS is_memory, d.origin AS origin
