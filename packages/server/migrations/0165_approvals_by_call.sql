-- compatible since: 0001
-- The call comes first in the key: an index that begins as a key does, as that of the session did, can be planned in the
-- key's place, and reads all approvals of the session.
drop index agent_approvals_open;
create unique index agent_approvals_open on agent_approvals (call_digest, session_id)
  where state in ('waiting', 'approved');
