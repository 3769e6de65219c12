-- compatible since: 0001
-- mode: batches
-- The turns of syncs that were there before. Locked, so that none is written that has changed meanwhile.
insert into sync_turns (sync_id, environment_id, next_run_at)
  select s.id, s.environment_id, case when s.running_run_id is null then s.next_run_at end
    from syncs s
   where (s.running_run_id is not null
          or (s.deleted_at is null and s.next_run_at is not null and (not s.paused or s.follow_up is not null)))
     and not exists (select from sync_turns t where t.sync_id = s.id)
   limit 5000 for update of s
  on conflict do nothing;
