// The queue: the first of a kind, what is due, whose lease ran out, what was done long ago.
CREATE INDEX queued_kind_rank IF NOT EXISTS FOR (n:Queued) ON (n.kind, n.rank);
CREATE INDEX waiting_due IF NOT EXISTS FOR (n:Waiting) ON (n.run_after);
CREATE INDEX running_lease IF NOT EXISTS FOR (n:Running) ON (n.lease_until);
CREATE INDEX running_token IF NOT EXISTS FOR (n:Running) ON (n.token);
CREATE INDEX job_finished IF NOT EXISTS FOR (n:Job) ON (n.finished_at);
