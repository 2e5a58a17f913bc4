// purpose: write vectors of chunks that still have the text they were made of
// params: $rows [{uid, content_sha256, vector}] $slugs (of all models that a chunk should have) $version; $$property
// returns: written
CYPHER 25
UNWIND $rows AS row
MATCH (c:Chunk {uid: row.uid}) WHERE c.content_sha256 = row.content_sha256
CALL db.create.setNodeVectorProperty(c, '$$property', row.vector)
SET c.stamp = $version
WITH c
CALL (c) {
  WITH c WHERE all(slug IN $slugs WHERE c['vec_' + slug] IS NOT NULL OR c['embed_error_' + slug] IS NOT NULL)
  REMOVE c:Unembedded
}
RETURN count(c) AS written
