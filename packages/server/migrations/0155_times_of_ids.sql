-- compatible since: 0001
-- The same answers as before. Each statement that names a row by its id asks for both, and Postgres plans it every
-- time, for the tables have a partition a day: as SQL their bodies were parsed and inlined each time, which took a third
-- of the planning. A PL/pgSQL function is parsed once in a session.
create or replace function made_from(id uuid) returns timestamptz language plpgsql immutable parallel safe as $$
begin
  return case when substr(id::text, 15, 1) = '7'
    then to_timestamp(('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0)
    else '-infinity'::timestamptz end;
end $$;
create or replace function made_until(id uuid) returns timestamptz language plpgsql immutable parallel safe as $$
begin
  return case when substr(id::text, 15, 1) = '7'
    then to_timestamp((('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint + 1) / 1000.0)
    else 'infinity'::timestamptz end;
end $$;
