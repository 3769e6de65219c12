-- compatible since: 0001
-- Many tasks that are queued at once take no lock for each of their keys: PostgreSQL keeps locks of all sessions in memory
-- that they share, 6,400 by default, and a webhook that was for thousands of connections took all of it. They enter as
-- `entered`, and whose turn it is is decided later, for few at a time.

alter table lane_tasks drop constraint lane_tasks_state_check;
alter table lane_tasks add constraint lane_tasks_state_check
  check (state in ('entered', 'blocked', 'ready', 'handed')) not valid;
alter table lane_tasks validate constraint lane_tasks_state_check;
create index lane_tasks_entered on lane_tasks (environment_id, position) where state = 'entered';

-- Whether the work has its turn at once; null where others are at work on its lane at this moment: then it stays as it is.
create function settle_lane(settled_id uuid, settled_task text, settled_lane text)
  returns boolean language plpgsql set enable_seqscan = off as $$
declare
  is_first boolean;
begin
  -- Who leaves at this moment must see the new state, and nobody waits here, so that this is part of no deadlock.
  if not pg_try_advisory_xact_lock(lane_key(settled_task, settled_lane)) then
    return null;
  end if;
  is_first := settled_id = (
    select id from lane_tasks where task = settled_task and lane = settled_lane order by position limit 1);
  update lane_tasks set state = case when is_first then 'ready' else 'blocked' end
   where id = settled_id and state = 'entered';
  return is_first;
end
$$;
