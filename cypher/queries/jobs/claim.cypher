// purpose: claim the job of these kinds that comes first, or the one $skip places behind it
// params: $kinds $skip $worker $token $lease_s
// returns: is_mine (false = a rival won), job; no row = there is none
//   index: queued_kind_rank, which gives each kind's first in order
CYPHER 25
runtime=slotted
UNWIND $kinds AS kind
CALL (kind) {
  MATCH (j:Queued) WHERE j.kind = kind AND j.rank >= 0
  WITH j ORDER BY j.kind, j.rank LIMIT $skip + 1
  RETURN j
}
WITH j ORDER BY j.rank SKIP $skip LIMIT 1
SET j._lock = true REMOVE j._lock               // locked until this transaction ends
WITH j, j:Queued AS is_mine                     // read again: a rival may have won while we waited
CALL (j, is_mine) {
  WITH j WHERE is_mine
  REMOVE j:Queued, j.error
  SET j:Running, j.state = 'running', j.worker = $worker, j.token = $token, j.attempts = j.attempts + 1,
    j.lease_until = datetime.realtime() + duration({seconds: $lease_s})
}
RETURN is_mine, j {.uid, .kind, .content_sha256, .attempts, deferrals: coalesce(j.deferrals, 0)} AS job
