-- compatible since: 0001
-- For how many connections of an integration webhooks have stopped: nobody reads all of them to know.
create table webhook_silences (
  environment_id uuid not null references environments (id) on delete cascade,
  integration_id bigint not null references integrations (id) on delete cascade,
  silent bigint not null,
  -- Of the silent connections: when the first and the last fell silent, the last webhook of any, up to five names.
  since timestamptz not null,
  last_at timestamptz not null,
  received_at timestamptz not null,
  sample jsonb not null,
  -- When they are counted again: who is frozen, or has to authorize again, is not expected to receive any.
  recount_at timestamptz not null,
  -- It begins with the integration, so that no other index is taken for it.
  primary key (integration_id, environment_id)
);
create index webhook_silences_due on webhook_silences (recount_at);
create index webhook_arrivals_silent_of on webhook_arrivals (environment_id, silent_since)
  where silent_since is not null;

insert into webhook_silences
select a.environment_id, c.integration_id, count(*), min(a.silent_since), max(a.silent_since), max(a.last_at),
       to_jsonb((array_agg(c.connection_id order by a.silent_since desc))[1:5]), max(a.silent_since) + interval '5 minutes'
  from webhook_arrivals a join connections c on c.uuid = a.connection_uuid and c.environment_id = a.environment_id
 where a.silent_since is not null
 group by a.environment_id, c.integration_id;

-- By triggers: a process of the previous release counts too while it still runs.
create function add_webhook_silences() returns trigger language plpgsql as $$
begin
  -- In one order everywhere, so that two processes never wait for each other.
  insert into webhook_silences as known
  select a.environment_id, c.integration_id, count(*), min(a.silent_since), max(a.silent_since), max(a.last_at),
         to_jsonb((array_agg(c.connection_id order by a.silent_since desc))[1:5]), max(a.silent_since) + interval '5 minutes'
    from after a join before b using (connection_uuid, environment_id)
   cross join lateral (
     select integration_id, connection_id from connections
      where uuid = a.connection_uuid and environment_id = a.environment_id offset 0) c
   where a.silent_since is not null and b.silent_since is null
   group by 1, 2 order by 2, 1
  on conflict (integration_id, environment_id) do update
     set silent = known.silent + excluded.silent,
         since = case when known.silent > 0 then least(known.since, excluded.since) else excluded.since end,
         last_at = greatest(known.last_at, excluded.last_at),
         received_at = greatest(known.received_at, excluded.received_at),
         sample = (select to_jsonb((array_agg(name order by place))[1:5])
                     from jsonb_array_elements(excluded.sample || known.sample) with ordinality as t (name, place));
  perform end_webhook_silences(
    (select json_agg(json_build_object('environment', b.environment_id, 'connection', b.connection_uuid))
       from after a join before b using (connection_uuid, environment_id)
      where a.silent_since is null and b.silent_since is not null));
  return null;
end
$$;

create function end_webhook_silences(ended json) returns void language plpgsql as $$
begin
  if ended is null then
    return;
  end if;
  with ended as materialized (
    select c.environment_id, c.integration_id, count(*) as count, array_agg(c.connection_id) as names
      from json_to_recordset(ended) as e (environment uuid, connection uuid)
     cross join lateral (
       select environment_id, integration_id, connection_id from connections
        where uuid = e.connection and environment_id = e.environment offset 0) c
     group by 1, 2
  ), locked as materialized (
    select s.integration_id, s.environment_id from webhook_silences s
      join ended using (integration_id, environment_id)
     order by 1, 2 for update of s
  )
  update webhook_silences s
     set silent = greatest(s.silent - ended.count, 0), sample = s.sample - ended.names
    from ended join locked using (integration_id, environment_id)
   where s.integration_id = ended.integration_id and s.environment_id = ended.environment_id;
end
$$;

create function forget_webhook_silences() returns trigger language plpgsql as $$
begin
  perform end_webhook_silences(
    (select json_agg(json_build_object('environment', environment_id, 'connection', connection_uuid))
       from before where silent_since is not null));
  return null;
end
$$;

create trigger add_webhook_silences after update on webhook_arrivals
  referencing old table as before new table as after
  for each statement execute function add_webhook_silences();
create trigger forget_webhook_silences after delete on webhook_arrivals
  referencing old table as before
  for each statement execute function forget_webhook_silences();
