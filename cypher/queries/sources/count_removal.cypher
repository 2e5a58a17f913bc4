// purpose: add to what the removal of a source has done so far
// params: $slug $removed_documents $removed_chunks $kept_documents $kept_chunks
// returns: slug
CYPHER 25
MATCH (s:Source {slug: $slug})
SET s.removed_documents = coalesce(s.removed_documents, 0) + $removed_documents,
    s.removed_chunks = coalesce(s.removed_chunks, 0) + $removed_chunks,
    s.kept_documents = coalesce(s.kept_documents, 0) + $kept_documents,
    s.kept_chunks = coalesce(s.kept_chunks, 0) + $kept_chunks
RETURN s.slug AS slug
