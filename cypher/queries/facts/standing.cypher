// purpose: whether the facts of a document were read of the text that it has now
// params: $document
// returns: is_read, by, skipped, is_waiting (a job for it is in the queue)
CYPHER 25
MATCH (d:Document {uid: $document})
RETURN coalesce(d.distilled_sha256 = d.content_sha256, false) AS is_read, coalesce(d.distilled_by, '') AS by,
       coalesce(d.distil_skipped, '') AS skipped,
       EXISTS { (d)<-[:FOR]-(j:Queued|Waiting|Running WHERE j.kind = 'distil') } AS is_waiting
