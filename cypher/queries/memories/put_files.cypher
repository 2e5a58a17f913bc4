// purpose: make documents of memory files memories; what recalls counted stays
// params: $rows [{uid, tags}]
// returns: nothing
CYPHER 25
UNWIND $rows AS row
MATCH (d:Document {uid: row.uid})
SET d.kind = 'note', d.origin = 'file', d.client = '', d.tags = row.tags, d.subjects = [],
    d.importance = coalesce(d.importance, 0.5), d.confidence = 1.0, d.is_titled = true,
    d.status = 'active', d.confirmed = true, d.tier = 'long', d.store_key = null,
    d.revision = CASE WHEN d:Memory THEN coalesce(d.revision, 0) + 1 ELSE 1 END,
    d.recall_count = coalesce(d.recall_count, 0), d.recall_days = coalesce(d.recall_days, 0)
SET d:Memory
