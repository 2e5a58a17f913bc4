// purpose: how much of everything there is
// params: none
// returns: sources, documents, chunks, pending, authors, searches, activities
CYPHER 25
CALL () { MATCH (n:Source) RETURN count(n) AS sources }
CALL () { MATCH (n:Document) RETURN count(n) AS documents }
CALL () { MATCH (n:Chunk) RETURN count(n) AS chunks }
CALL () { MATCH (n:Unembedded) RETURN count(n) AS pending }
CALL () { MATCH (n:Author) RETURN count(n) AS authors }
CALL () { MATCH (n:SearchEvent) RETURN count(n) AS searches }
CALL () { MATCH (n:Activity) RETURN count(n) AS activities }
RETURN sources, documents, chunks, pending, authors, searches, activities
