// purpose: see whether the database takes a write; the transaction is rolled back
// params: $uid
// returns: uid
CYPHER 25
CREATE (n:DoctorTrial {uid: $uid}) RETURN n.uid AS uid
