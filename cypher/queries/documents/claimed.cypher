// purpose: the document of an address, and whose it is
// params: $uri
// returns: uid, source, class
CYPHER 25
MATCH (d:Document {uri: $uri})
RETURN d.uid AS uid, d.source AS source, d.class AS class
