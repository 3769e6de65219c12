-- compatible since: 0001
-- Which deliveries wait, and which have failed, apart from the deliveries themselves: what an attempt changes stands in no
-- index of theirs any more, so that it stays within a page. Only a delivery's key and when it is due are here.

create table delivery_turns (
  receiver_id uuid not null,
  created_at timestamptz not null,
  delivery_id uuid not null,
  environment_id uuid not null,
  next_attempt_at timestamptz not null,
  primary key (receiver_id, created_at, delivery_id)
);
-- The condition is true of every row: only who reads in this order says so, and no look-up by the key takes this way.
create index delivery_turns_due on delivery_turns (receiver_id, next_attempt_at) where next_attempt_at > '-infinity';
create index delivery_turns_environment on delivery_turns (environment_id, created_at desc, delivery_id desc);
-- A queue: what is done with goes soon from its front.
alter table delivery_turns set (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.05);

create table failed_deliveries (
  environment_id uuid not null references environments (id) on delete cascade,
  created_at timestamptz not null,
  delivery_id uuid not null,
  primary key (environment_id, created_at, delivery_id)
);

-- By a trigger: a process of the previous release keeps them as well. Of each statement, since what moves a row between
-- days names these, and changes no turn. Row by row, so that no plan ever reads all turns.
create function keep_delivery_turns() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  n record;
begin
  if tg_op = 'DELETE' then
    for n in select id, created_at, receiver_id, environment_id, state from old_rows where state <> 'delivered' loop
      delete from delivery_turns
       where receiver_id = n.receiver_id and created_at = n.created_at and delivery_id = n.id;
      delete from failed_deliveries
       where environment_id = n.environment_id and created_at = n.created_at and delivery_id = n.id;
    end loop;
    return null;
  end if;
  -- Leases begin: nothing else changes with them.
  if tg_op = 'UPDATE' and not exists (select from new_rows where leased_until is null or state <> 'waiting') then
    return null;
  end if;
  for n in select id, created_at, receiver_id, environment_id, state, next_attempt_at from new_rows loop
    if n.state = 'waiting' and n.next_attempt_at is not null then
      insert into delivery_turns (receiver_id, created_at, delivery_id, environment_id, next_attempt_at)
        values (n.receiver_id, n.created_at, n.id, n.environment_id, n.next_attempt_at)
        on conflict (receiver_id, created_at, delivery_id) do update set next_attempt_at = excluded.next_attempt_at
        where delivery_turns.next_attempt_at <> excluded.next_attempt_at;
    elsif tg_op = 'UPDATE' then
      delete from delivery_turns
       where receiver_id = n.receiver_id and created_at = n.created_at and delivery_id = n.id;
    end if;
    if n.state = 'failed' then
      insert into failed_deliveries (environment_id, created_at, delivery_id)
        values (n.environment_id, n.created_at, n.id) on conflict do nothing;
    elsif tg_op = 'UPDATE' then
      delete from failed_deliveries
       where environment_id = n.environment_id and created_at = n.created_at and delivery_id = n.id;
    end if;
  end loop;
  return null;
end
$$;
create trigger keep_delivery_turns_added after insert on webhook_deliveries
  referencing new table as new_rows for each statement execute function keep_delivery_turns();
create trigger keep_delivery_turns_changed after update on webhook_deliveries
  referencing new table as new_rows for each statement execute function keep_delivery_turns();
create trigger keep_delivery_turns_removed after delete on webhook_deliveries
  referencing old table as old_rows for each statement execute function keep_delivery_turns();

-- Room for the next version of each row beside it, also when a page of them is leased at once; new days take what the
-- default partition has.
do $$
declare
  part regclass;
begin
  for part in select relid from pg_partition_tree('webhook_deliveries') where isleaf loop
    execute format('alter table %s set (fillfactor = 50)', part);
  end loop;
end
$$;
