// purpose: how many chunks lack the vector of at least one model; read from the count store
// params: none
// returns: waiting
CYPHER 25
MATCH (c:Unembedded) RETURN count(c) AS waiting
