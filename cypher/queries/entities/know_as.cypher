// purpose: record the names an entity goes by, and whether it is the owner
// params: $rows [{uid, key, text, is_self, rule}] $now $version
// returns: nothing
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {uid: row.uid})
MERGE (a:Alias {key: row.key}) ON CREATE SET a.text = row.text
MERGE (e)-[k:KNOWN_AS]->(a)
  ON CREATE SET k.rule = row.rule, k.score = 1.0, k.created_at = $now
SET e:Author, e.stamp = $version,
    e.is_self = coalesce(e.is_self, false) OR row.is_self
