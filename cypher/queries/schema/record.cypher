// purpose: record a migration as applied
// params: $version $name $checksum $now
// returns: nothing
CYPHER 25
MERGE (v:SchemaVersion {version: $version})
SET v.name = $name, v.checksum = $checksum, v.applied_at = $now
