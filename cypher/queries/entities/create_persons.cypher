// purpose: create persons who wrote something
// params: $rows [{uid, ix, key, name, class}] $now $version
// returns: nothing
CYPHER 25
UNWIND $rows AS row
CREATE (e:Entity:Author {uid: row.uid, ix: row.ix, kind: 'person', key: row.key, name: row.name})
SET e.class = row.class, e.created_at = $now, e.stamp = $version
