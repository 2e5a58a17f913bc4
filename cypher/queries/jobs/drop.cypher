// purpose: remove jobs; one that runs writes nothing any more
// params: $uids
// returns: dropped
CYPHER 25
UNWIND $uids AS uid
MATCH (j:Job {uid: uid})
DETACH DELETE j
RETURN count(*) AS dropped
