// purpose: lock a memory until commit and say how it stands
// params: $uid
// returns: revision, class, changed_by (uid of the activity that wrote it last); no row = it is gone
CYPHER 25
MATCH (d:Document:Memory {uid: $uid})
SET d._lock = true REMOVE d._lock
RETURN d.revision AS revision, d.class AS class, d.changed_by AS changed_by
