// purpose: the job that a claim took whose reply was lost
// params: $token
// returns: job
//   index: running_token
CYPHER 25
MATCH (j:Running {token: $token})
RETURN j {.uid, .kind, .content_sha256, .attempts, deferrals: coalesce(j.deferrals, 0)} AS job
