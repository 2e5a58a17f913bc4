// purpose: live memories with what their retention and heat are computed from, after a uid
// params: $owners (whether what the owner wrote or confirmed is among them) $after $limit
// returns: uid, created_at, last_recalled_at, rehearsed_at, recalls, recall_days, importance, tier, confirmed, links, cited
CYPHER 25
MATCH (d:Memory)
WHERE d.status = 'active' AND d.origin <> 'file' AND ($owners OR NOT d.confirmed) AND d.uid > $after
WITH d ORDER BY d.uid LIMIT $limit
RETURN d.uid AS uid, d.created_at AS created_at, d.last_recalled_at AS last_recalled_at,
       d.rehearsed_at AS rehearsed_at, d.recall_count AS recalls, d.recall_days AS recall_days,
       d.importance AS importance, d.tier AS tier, d.confirmed AS confirmed,
       COUNT { (d)-[:SUPPORTED_BY]-() } AS links,
       EXISTS { (d)<-[:SUPPORTED_BY]-(:Memory) }
         OR EXISTS { (d)-[:HAS_CHUNK]->(:Chunk)<-[:SUPPORTED_BY]-(:Memory) } AS cited
ORDER BY uid
