// purpose: how many jobs there are in each state but done
// params: none
// returns: queued, waiting, running, failed
CYPHER 25
RETURN COUNT { (:Queued) } AS queued, COUNT { (:Waiting) } AS waiting,
       COUNT { (:Running) } AS running, COUNT { (:Failed) } AS failed
