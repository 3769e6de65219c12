-- compatible since: 0001
-- Runs become partitioned by the day in which they were queued, as deliveries are: see 0010.
do $$
declare
  bound text := to_char((now() at time zone 'UTC')::date + 8, 'YYYY-MM-DD') || ' 00:00:00+00';
begin
  alter table runs drop constraint if exists runs_bound;
  execute format('alter table runs add constraint runs_bound check (created_at < %L) not valid', bound);
end
$$;
