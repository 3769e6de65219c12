-- compatible since: 0001
-- Operations that ended, counted by minute and by hour, so that no chart reads operations. An empty text: without one.
-- The durations are counts below the bounds that the server has (logs/metrics/durations.ts).
create table operation_minutes (
  environment_id uuid not null references environments (id) on delete cascade,
  at timestamptz not null,
  type text not null,
  action text not null,
  integration text not null,
  function text not null,
  success int not null,
  failed int not null,
  timeout int not null,
  cancelled int not null,
  duration_ms bigint not null,
  durations int[] not null,
  primary key (environment_id, at, type, action, integration, function)
) partition by range (at);
create table operation_minutes_default partition of operation_minutes default;

create table operation_hours (like operation_minutes including constraints including indexes)
  partition by range (at);
alter table operation_hours
  add foreign key (environment_id) references environments (id) on delete cascade;
create table operation_hours_default partition of operation_hours default;

create function add_counts(a int[], b int[]) returns int[] language sql immutable parallel safe
  return (select array_agg(coalesce(x, 0) + coalesce(y, 0) order by n)
    from unnest(a, b) with ordinality as pair(x, y, n));
