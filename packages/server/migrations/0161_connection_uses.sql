-- compatible since: 0001
-- Who has used or read a connection's credentials on which day; a row without a name stands for those of whom there was
-- no room to count each.
create table connection_uses (
  environment_id uuid not null references environments (id) on delete cascade,
  connection_uuid uuid not null,
  day date not null,
  kind text not null check (kind in ('key', 'function', 'agent', 'user', 'system')),
  name text not null,
  way text not null check (way in ('read', 'call', 'reveal')),
  uses bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (connection_uuid, day, kind, name, way)
);
create index connection_uses_name on connection_uses (environment_id, kind, name, connection_uuid);
create index connection_uses_day on connection_uses (day);

-- What is known of reads before.
insert into connection_uses (environment_id, connection_uuid, day, kind, name, way, uses, first_at, last_at)
select r.environment_id, r.connection_uuid, (r.minute at time zone 'UTC')::date, 'key', r.key_id::text, 'read',
       sum(r.reads), min(r.minute), max(r.minute)
  from credential_reads r join environments e on e.id = r.environment_id
 group by 1, 2, 3, 5;
