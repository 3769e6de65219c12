-- compatible since: 0001
-- Whose turn it is, apart from the syncs themselves: what changes with each run stands in no index of theirs any more, so
-- that a run's changes stay within a page. A row for each sync that waits for its time, and for each that runs.

create table sync_turns (
  sync_id uuid primary key,
  environment_id uuid not null,
  -- Null while it runs.
  next_run_at timestamptz
);
create index sync_turns_due on sync_turns (environment_id, next_run_at);

-- By a trigger: a process of the previous release keeps them as well.
create function keep_sync_turn() returns trigger language plpgsql as $$
declare
  turn_at timestamptz;
begin
  if tg_op = 'DELETE' then
    delete from sync_turns where sync_id = old.id;
  elsif new.running_run_id is not null
     or (new.deleted_at is null and new.next_run_at is not null and (not new.paused or new.follow_up is not null)) then
    turn_at := case when new.running_run_id is null then new.next_run_at end;
    update sync_turns set next_run_at = turn_at where sync_id = new.id;
    if not found then
      insert into sync_turns (sync_id, environment_id, next_run_at) values (new.id, new.environment_id, turn_at)
        on conflict (sync_id) do update set next_run_at = excluded.next_run_at;
    end if;
  else
    delete from sync_turns where sync_id = new.id;
  end if;
  return null;
end
$$;
create trigger keep_sync_turn
  after insert or delete or update of next_run_at, running_run_id, paused, follow_up, deleted_at on syncs
  for each row execute function keep_sync_turn();

-- Room for the next version of a row beside it.
alter table syncs set (fillfactor = 70);
alter table sync_turns set (fillfactor = 70);
