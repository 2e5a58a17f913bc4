// purpose: what retention and heat of memories are computed from
// params: $uids
// returns: uid, created_s, refreshed_s (of the last recall or rehearsal; null), recalls, recall_days, importance, confirmed, links
CYPHER 25
UNWIND $uids AS uid
MATCH (d:Document:Memory {uid: uid})
RETURN uid, d.created_at.epochSeconds AS created_s,
       CASE WHEN d.rehearsed_at IS NULL OR d.last_recalled_at > d.rehearsed_at
            THEN d.last_recalled_at ELSE d.rehearsed_at END.epochSeconds AS refreshed_s,
       d.recall_count AS recalls, d.recall_days AS recall_days, d.importance AS importance,
       d.confirmed AS confirmed, COUNT { (d)-[:SUPPORTED_BY]->() } AS links
