// purpose: the migrations that were applied
// params: none
// returns: version, checksum
CYPHER 25
MATCH (v:SchemaVersion) RETURN v.version AS version, v.checksum AS checksum ORDER BY version
