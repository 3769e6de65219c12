-- compatible since: 0001
-- Entering and leaving a lane in one round trip each. Who enters shares the lane with all others who do, so that none
-- waits for another's commit; who leaves has it alone, as a process of the previous release does in both cases.

create function lane_key(task text, lane text) returns bigint language sql immutable parallel safe
  return hashtextextended('lane ' || task || ' ' || lane, 0);

-- Whether the work has its turn at once.
create function enter_lane(new_id uuid, new_environment_id uuid, new_task text, new_lane text, new_payload jsonb,
                           new_run_at timestamptz)
  returns boolean language plpgsql set enable_seqscan = off as $$
declare
  place text;
begin
  perform pg_advisory_xact_lock_shared(lane_key(new_task, new_lane));
  if (select position from lane_tasks where task = new_task and lane = new_lane order by position limit 1) is null then
    -- Nobody stands before: of those who find that at the same moment, one is the first.
    perform pg_advisory_xact_lock(hashtextextended('first of lane ' || new_task || ' ' || new_lane, 0));
  end if;
  place := case
    when (select position from lane_tasks where task = new_task and lane = new_lane order by position limit 1) is null
    then 'ready' else 'blocked' end;
  insert into lane_tasks (id, environment_id, task, lane, payload, run_at, state)
    values (new_id, new_environment_id, new_task, new_lane, new_payload, new_run_at, place);
  return place = 'ready';
end
$$;

-- The next of the lane has its turn; false for work that was in no lane.
create function leave_lane(old_id uuid) returns boolean language plpgsql set enable_seqscan = off as $$
declare
  old_task text;
  old_lane text;
begin
  delete from lane_tasks where id = old_id returning task, lane into old_task, old_lane;
  if not found then
    return false;
  end if;
  -- Who enters at this moment and has seen the old one stand before is waited for, and seen below.
  perform pg_advisory_xact_lock(lane_key(old_task, old_lane));
  update lane_tasks set state = 'ready'
   where state = 'blocked' and id = (
     select id from lane_tasks where task = old_task and lane = old_lane order by position limit 1);
  return true;
end
$$;
