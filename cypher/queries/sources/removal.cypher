// purpose: how the removal of a source stands
// params: $slug
// returns: root, standing, keeping, removed_documents, removed_chunks, kept_documents, kept_chunks, remaining
CYPHER 25
MATCH (s:Source {slug: $slug}) WHERE s.removing
RETURN s.root AS root, s.standing AS standing, coalesce(s.keeping, false) AS keeping,
       coalesce(s.removed_documents, 0) AS removed_documents,
       coalesce(s.removed_chunks, 0) AS removed_chunks,
       coalesce(s.kept_documents, 0) AS kept_documents,
       coalesce(s.kept_chunks, 0) AS kept_chunks,
       COUNT { (s)<-[:FROM]-(:Document) } AS remaining
