-- compatible since: 0001
-- Changes to records, counted by the minute and by the hour. The release before counts none.
create table record_minutes (
  environment_id uuid not null references environments (id) on delete cascade,
  at timestamptz not null,
  added bigint not null,
  updated bigint not null,
  deleted bigint not null,
  primary key (environment_id, at)
) partition by range (at);
create table record_minutes_default partition of record_minutes default;

create table record_hours (like record_minutes including constraints including indexes) partition by range (at);
alter table record_hours
  add foreign key (environment_id) references environments (id) on delete cascade;
create table record_hours_default partition of record_hours default;
