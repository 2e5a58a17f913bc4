// purpose: how much of everything there is
// params: none
// returns: sources, documents, chunks, pending, authors, searches, activities
CYPHER 25
RETURN COUNT { (:Source) } AS sources, COUNT { (:Document) } AS documents,
       COUNT { (:Chunk) } AS chunks, COUNT { (:Unembedded) } AS pending,
       COUNT { (:Author) } AS authors, COUNT { (:SearchEvent) } AS searches,
       COUNT { (:Activity) } AS activities
