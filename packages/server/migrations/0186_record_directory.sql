-- compatible since: 0001
-- Which number a model of a connection has. Where records are distributed, a model's row lies with its records and is
-- found by its number alone; these rows stay on the first server.
create table record_directory (
  environment_id uuid not null references environments (id) on delete cascade,
  connection_uuid uuid not null,
  model text not null,
  id bigint not null unique,
  primary key (environment_id, connection_uuid, model)
);

-- By a trigger: the release before adds and removes models without it.
create function keep_record_directory() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from record_directory where id = old.id;
  else
    insert into record_directory (environment_id, connection_uuid, model, id)
      values (new.environment_id, new.connection_uuid, new.model, new.id)
      on conflict do nothing;
  end if;
  return null;
end
$$;
create trigger keep_record_directory after insert or delete on record_models
  for each row execute function keep_record_directory();

-- Where records lie in one table, as in a cluster, an environment has no partition of its own.
create or replace function add_record_partitions(number integer) returns void language plpgsql as $$
declare
  parent text := format('records_%s', number);
begin
  if (select relkind from pg_class where oid = 'records'::regclass) <> 'p' then
    return;
  end if;
  execute format('create table %I (like records including defaults including storage)
                    partition by hash (model_id)', parent);
  for part in 0..3 loop
    execute format('create table %I partition of %I for values with (modulus 4, remainder %s)
                      with (autovacuum_vacuum_scale_factor = 0.05)', parent || '_' || part, parent, part);
  end loop;
  execute format('alter table records attach partition %I for values from (%s) to (%s)',
                 parent, number::bigint << 32, (number::bigint + 1) << 32);
end
$$;
