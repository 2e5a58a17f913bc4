// purpose: count a recall of memories; the lock comes first, so that no concurrent one is lost
// params: $uids $event (counted once) $now
// returns: uid, recalls
CYPHER 25
UNWIND $uids AS uid
MATCH (m:Document:Memory {uid: uid})
SET m._lock = true REMOVE m._lock
WITH m WHERE coalesce(m.recalled_by, '') <> $event
SET m.recall_days = coalesce(m.recall_days, 0) + CASE
      WHEN m.last_recalled_at IS NULL OR date(m.last_recalled_at) < date($now) THEN 1 ELSE 0 END,
    m.recall_count = coalesce(m.recall_count, 0) + 1, m.recalled_by = $event,
    m.last_recalled_at = CASE WHEN m.last_recalled_at > $now THEN m.last_recalled_at ELSE $now END
RETURN m.uid AS uid, m.recall_count AS recalls
