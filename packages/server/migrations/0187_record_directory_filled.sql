-- compatible since: 0001
-- mode: batches
-- Models that were there before.
insert into record_directory (environment_id, connection_uuid, model, id)
  select m.environment_id, m.connection_uuid, m.model, m.id
    from record_models m
   where not exists (select from record_directory d where d.id = m.id)
   order by m.id limit 20000
  on conflict do nothing;
