// purpose: class the names of persons by what mentions them now
// params: $uids $classes (the first that mentions a person is the class of the name)
// returns: nothing
CYPHER 25
UNWIND $uids AS uid
MATCH (e:Entity:Author {uid: uid})
CALL (e) {
  MATCH (e)<-[t:AUTHORED_BY]-(:Document)
  RETURN collect(DISTINCT t.class) AS found
}
WITH e, head([class IN $classes WHERE class IN found]) AS class
WHERE class IS NOT NULL AND class <> e.class
SET e.class = class
