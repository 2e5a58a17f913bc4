// purpose: note of which text the facts of a document were read, by what, or why none were
// params: $document $content_sha256 $extractor $skipped (empty = they were read)
// returns: nothing
CYPHER 25
MATCH (d:Document {uid: $document})
SET d.distilled_sha256 = $content_sha256, d.distilled_by = $extractor, d.distil_skipped = $skipped
