-- compatible since: 0001
-- How many connections there are, and which are refreshed right now, apart from the connections themselves: a count reads
-- no connection, and the lease of a refresh is in no index of theirs any more, so that it stays within a page.

-- The sum of an integration's rows is its count. Rows are only added, and merged from time to time, so that nobody waits
-- for another who connects. What is refreshed counts as what it is otherwise.
create table connection_counts (
  environment_id uuid not null,
  integration_id bigint not null,
  state text not null check (state in ('needs_reauthorization', 'backoff', 'pending', 'ok')),
  count bigint not null
);
create index connection_counts_integration on connection_counts (environment_id, integration_id);

create table refresh_leases (
  -- The id of the connection.
  connection_row bigint primary key,
  environment_id uuid not null,
  leased_until timestamptz not null
);
create index refresh_leases_environment on refresh_leases (environment_id, leased_until);
-- A queue: what has ended goes soon.
alter table refresh_leases set (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.05);

-- Of the first rows those of others, so that a long transaction does not look at its own again and again.
create function merge_connection_counts(environment uuid, integration bigint) returns void language sql as $$
  with gone as (
    delete from connection_counts where ctid = any(array(
      select ctid from connection_counts where ctid = any(array(
        select ctid from (
          select ctid, xmin from connection_counts
           where environment_id = environment and integration_id = integration limit 200) first
         where xmin <> pg_current_xact_id()::xid))
         for update skip locked))
    returning state, count)
  insert into connection_counts (environment_id, integration_id, state, count)
  select environment, integration, state, sum(count) from gone group by state having sum(count) <> 0
$$;

-- By triggers: a process of the previous release keeps both as well.
create function count_new_connections() returns trigger language plpgsql as $$
begin
  insert into connection_counts (environment_id, integration_id, state, count)
  select environment_id, integration_id,
         case when needs_reauthorization_at is not null then 'needs_reauthorization'
              when refresh_not_before is not null then 'backoff' when is_pending then 'pending' else 'ok' end,
         count(*)
    from new_rows where deleted_at is null group by 1, 2, 3;
  if random() < 0.06 then
    perform merge_connection_counts(environment_id, integration_id)
       from (select distinct environment_id, integration_id from new_rows) own;
  end if;
  insert into refresh_leases (connection_row, environment_id, leased_until)
  select id, environment_id, refresh_lease_until from new_rows
   where refresh_lease_until is not null and deleted_at is null;
  return null;
end
$$;
create trigger count_new after insert on connections
  referencing new table as new_rows for each statement execute function count_new_connections();

create function count_removed_connections() returns trigger language plpgsql as $$
declare
  n record;
begin
  delete from refresh_leases where connection_row = any(array(
    select id from old_rows where refresh_lease_until is not null));
  for n in
    select environment_id, integration_id from old_rows where deleted_at is null group by 1, 2
  loop
    insert into connection_counts (environment_id, integration_id, state, count)
    select environment_id, integration_id,
           case when needs_reauthorization_at is not null then 'needs_reauthorization'
                when refresh_not_before is not null then 'backoff' when is_pending then 'pending' else 'ok' end,
           -count(*)
      from old_rows
     where deleted_at is null and environment_id = n.environment_id and integration_id = n.integration_id
     group by 1, 2, 3;
  end loop;
  -- All of them, so that nothing is left of what is gone.
  for n in select environment_id, integration_id from old_rows group by 1, 2 loop
    with gone as (
      delete from connection_counts where ctid = any(array(
        select ctid from connection_counts
         where environment_id = n.environment_id and integration_id = n.integration_id for update skip locked))
      returning state, count)
    insert into connection_counts (environment_id, integration_id, state, count)
    select n.environment_id, n.integration_id, state, sum(count) from gone group by state having sum(count) <> 0;
  end loop;
  return null;
end
$$;
create trigger count_removed after delete on connections
  referencing old table as old_rows for each statement execute function count_removed_connections();

create function count_changed_connection() returns trigger language plpgsql as $$
begin
  insert into connection_counts (environment_id, integration_id, state, count)
  select environment_id, integration_id, state, count
    from (values
      (old.environment_id, old.integration_id, old.deleted_at,
       case when old.needs_reauthorization_at is not null then 'needs_reauthorization'
            when old.refresh_not_before is not null then 'backoff' when old.is_pending then 'pending' else 'ok' end, -1),
      (new.environment_id, new.integration_id, new.deleted_at,
       case when new.needs_reauthorization_at is not null then 'needs_reauthorization'
            when new.refresh_not_before is not null then 'backoff' when new.is_pending then 'pending' else 'ok' end, 1))
      as change (environment_id, integration_id, deleted_at, state, count)
   where deleted_at is null;
  if random() < 0.06 then
    perform merge_connection_counts(new.environment_id, new.integration_id);
  end if;
  return null;
end
$$;
create trigger count_changed
  after update of needs_reauthorization_at, refresh_not_before, is_pending, deleted_at, integration_id on connections
  for each row when (
    (old.deleted_at is null, old.needs_reauthorization_at is null, old.refresh_not_before is null, old.is_pending,
     old.integration_id)
    is distinct from
    (new.deleted_at is null, new.needs_reauthorization_at is null, new.refresh_not_before is null, new.is_pending,
     new.integration_id))
  execute function count_changed_connection();

create function keep_refresh_lease() returns trigger language plpgsql as $$
begin
  if new.refresh_lease_until is null or new.deleted_at is not null then
    delete from refresh_leases where connection_row = new.id;
  else
    insert into refresh_leases (connection_row, environment_id, leased_until)
    values (new.id, new.environment_id, new.refresh_lease_until)
    on conflict (connection_row) do update set leased_until = excluded.leased_until;
  end if;
  return null;
end
$$;
create trigger keep_refresh_lease after update of refresh_lease_until, deleted_at on connections
  for each row when (
    old.refresh_lease_until is distinct from new.refresh_lease_until
    or (old.deleted_at is null) <> (new.deleted_at is null))
  execute function keep_refresh_lease();

-- Nobody writes a connection until this transaction ends.
insert into connection_counts (environment_id, integration_id, state, count)
select environment_id, integration_id,
       case when needs_reauthorization_at is not null then 'needs_reauthorization'
            when refresh_not_before is not null then 'backoff' when is_pending then 'pending' else 'ok' end,
       count(*)
  from connections where deleted_at is null group by 1, 2, 3;
insert into refresh_leases (connection_row, environment_id, leased_until)
select id, environment_id, refresh_lease_until from connections
 where refresh_lease_until is not null and deleted_at is null;

-- Room for the next version of a row in its page.
alter table connections set (fillfactor = 85);
