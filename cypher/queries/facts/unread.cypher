// purpose: documents whose facts were read by another extractor, of another text, or never, and that no job is for
// params: $extractor $after (uid; '' = from the first) $limit
// returns: uid, content_sha256, mtime, trust
CYPHER 25
MATCH (d:Document) WHERE d.uid > $after
  AND (d.distilled_by IS NULL OR d.distilled_by <> $extractor OR d.distilled_sha256 <> d.content_sha256)
  AND NOT EXISTS { (d)<-[:FOR]-(j:Queued|Waiting|Running|Failed WHERE j.kind = 'distil') }
RETURN d.uid AS uid, d.content_sha256 AS content_sha256, d.mtime AS mtime, d.trust AS trust
ORDER BY uid LIMIT $limit
