// purpose: write a block of core memory, and keep what it said as a revision
// params: $name $text $at $actor $activity $revision (of what it said; null = it was never written) $earlier_uid
// returns: name, text, revision, updated_at, actor
CYPHER 25
MERGE (b:CoreBlock {name: $name})
CALL (b) {
  WITH b WHERE $revision IS NOT NULL
  MERGE (r:Revision {uid: $earlier_uid})
  SET r.of = 'core:' + $name, r.number = $revision, r.text = b.text, r.at = $at, r.actor = $actor
}
SET b.text = $text, b.revision = coalesce($revision, 0) + 1, b.updated_at = $at, b.actor = $actor,
    b.changed_by = $activity
RETURN b.name AS name, b.text AS text, b.revision AS revision, b.updated_at AS updated_at,
       b.actor AS actor
