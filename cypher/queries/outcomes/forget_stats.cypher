// purpose: have every file of a source read again
// params: $source
// returns: nothing
CYPHER 25
MATCH (o:Outcome {source: $source}) SET o.stat = '', o.file_sha256 = ''
