// purpose: the documents of some files of a source
// params: $source $paths
// returns: uid, uri, path
CYPHER 25
UNWIND $paths AS path
MATCH (d:Document {source: $source, path: path})
RETURN d.uid AS uid, d.uri AS uri, d.path AS path
