// Wait until every index is online. params: $timeout_s
CALL db.awaitIndexes($timeout_s);
