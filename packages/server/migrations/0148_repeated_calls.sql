-- compatible since: 0001
-- Each call looks for equal ones of its session: not through all that the session has called.
create index agent_calls_repeats on agent_calls (session_id, input_digest, at);
