-- compatible since: 0001
-- Asynchronous actions become partitioned by the day in which they were accepted, as deliveries do: see 0010.
do $$
declare
  bound text := to_char((now() at time zone 'UTC')::date + 8, 'YYYY-MM-DD') || ' 00:00:00+00';
begin
  alter table async_actions drop constraint if exists async_actions_bound;
  execute format('alter table async_actions add constraint async_actions_bound check (created_at < %L) not valid', bound);
end
$$;
