// purpose: the blocks of core memory that were written
// params: none
// returns: name, text, revision, updated_at, actor, changed_by
CYPHER 25
MATCH (b:CoreBlock)
RETURN b.name AS name, b.text AS text, b.revision AS revision, b.updated_at AS updated_at,
       b.actor AS actor, b.changed_by AS changed_by
ORDER BY name
