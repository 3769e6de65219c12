-- compatible since: 0001
-- The tables become partitioned: see 0010. Nothing is rewritten, and each lock is short.

-- When the row of an id was made, as far as the id tells: the first 48 bits of a UUID v7 are milliseconds (RFC 9562,
-- 5.7), and for any other id all times are meant. A look-up by id and these two reads one partition.
create function made_from(id uuid) returns timestamptz language sql immutable parallel safe
  return case when substr(id::text, 15, 1) = '7'
    then to_timestamp(('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0)
    else '-infinity'::timestamptz end;
create function made_until(id uuid) returns timestamptz language sql immutable parallel safe
  return case when substr(id::text, 15, 1) = '7'
    then to_timestamp((('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint + 1) / 1000.0)
    else 'infinity'::timestamptz end;

-- Puts a table that is partitioned by the time in a column in the place of one that is there, whose rows become the
-- partition of all that is before its bound (`<table>_bound`, validated). Its key is `<table>_day_key`, and its own
-- indexes become those of the new table.
create function partition_by_day(name text, time_column text) returns void language plpgsql as $$
declare
  bound timestamptz := (select substring(pg_get_constraintdef(oid) from '''(.*)''')::timestamptz
    from pg_constraint where conrelid = name::regclass and conname = name || '_bound');
  first text := name || '_until_' || to_char(bound at time zone 'UTC', 'YYYYMMDD');
  index_names text[];
  definitions text[];
  has_environment boolean := exists (
    select from pg_attribute where attrelid = name::regclass and attname = 'environment_id');
  has_rows boolean;
begin
  execute format('alter table %I rename to %I', name, first);
  execute format('alter table %I drop constraint %I', first, name || '_pkey');
  execute format('alter table %I add constraint %I primary key using index %I', first, first || '_pkey', name || '_day_key');
  execute format('create table %I (like %I including defaults including constraints including storage) partition by range (%I)',
    name, first, time_column);
  execute format('alter table %I drop constraint %I', name, name || '_bound');
  execute format('alter table %I add constraint %I primary key (id, %I)', name, name || '_pkey', time_column);
  if has_environment then
    execute format('alter table %I add constraint %I foreign key (environment_id) references environments on delete cascade',
      name, name || '_environment_id_fkey');
  end if;
  select array_agg(i.relname), array_agg(pg_get_indexdef(i.oid)) into index_names, definitions
    from pg_index x join pg_class i on i.oid = x.indexrelid
   where x.indrelid = first::regclass and not x.indisprimary;
  for n in 1 .. coalesce(array_length(index_names, 1), 0) loop
    execute format('alter index %I rename to %I', index_names[n], replace(index_names[n], name, first));
    execute replace(definitions[n], quote_ident(first) || ' USING', quote_ident(name) || ' USING');
  end loop;
  execute format('select exists (select from %I)', first) into has_rows;
  if has_rows then
    -- Proven by the bound, and its indexes are there: neither is the table read nor an index built.
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', name, first, bound);
    execute format('alter table %I drop constraint %I', first, name || '_bound');
  else
    execute format('drop table %I', first);
  end if;
  execute format('create table %I partition of %I default', name || '_default', name);
end
$$;

lock table environments, webhook_receivers, webhook_payloads in share row exclusive mode;
lock table webhook_deliveries, webhook_attempts in access exclusive mode;

-- References that are never why a row goes are given up: for each day that is made, what they lead to would be locked.
alter table webhook_attempts drop constraint webhook_attempts_delivery_id_fkey;
alter table webhook_deliveries drop constraint webhook_deliveries_receiver_id_fkey;
alter table webhook_deliveries drop constraint webhook_deliveries_payload_id_fkey;

select partition_by_day('webhook_deliveries', 'created_at');
select partition_by_day('webhook_attempts', 'created_at');

-- Attempts go with their delivery, where it goes by itself; a day of attempts goes as a whole.
create function delete_attempts() returns trigger language plpgsql as $$
begin
  delete from webhook_attempts a using gone
   where a.delivery_id = gone.id and a.created_at >= gone.created_at - interval '1 hour';
  return null;
end
$$;
create trigger delete_attempts after delete on webhook_deliveries
  referencing old table as gone for each statement execute function delete_attempts();
