-- compatible since: 0001
-- Processes remember sessions of agents and the connections of their end users. What counts calls is announced to
-- nobody; the first text of others that a session reads is.
create trigger announce_change after update on agent_sessions
  for each row when (
    (old.policy, old.expires_at, old.ended_at, old.untrusted_seen, old.max_calls, old.max_writes,
     old.max_calls_per_day, old.max_writes_per_day, old.max_result_tokens, old.max_code_seconds)
    is distinct from
    (new.policy, new.expires_at, new.ended_at, new.untrusted_seen, new.max_calls, new.max_writes,
     new.max_calls_per_day, new.max_writes_per_day, new.max_result_tokens, new.max_code_seconds))
  execute function announce_change('id', '');
create trigger announce_end after delete on agent_sessions
  for each row execute function announce_change('id', '');
create trigger announce_change after update or delete on agent_toolsets
  for each row execute function announce_change('id', '');

-- An end user's first connection is no change of a row that anybody remembers.
create function announce_end_user() returns trigger language plpgsql as $$
begin
  if new.tags ? 'end_user_id' then
    perform pg_notify('jackfield_due',
      format('changed end_users %s %s', new.environment_id, new.tags ->> 'end_user_id'));
  end if;
  return null;
end
$$;
create trigger announce_new_end_user after insert on connections
  for each row execute function announce_end_user();
create trigger announce_other_end_user after update on connections
  for each row when (old.tags ->> 'end_user_id' is distinct from new.tags ->> 'end_user_id'
    or old.deleted_at is distinct from new.deleted_at)
  execute function announce_end_user();
