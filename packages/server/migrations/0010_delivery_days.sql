-- compatible since: 0001
-- Deliveries and their attempts become tables partitioned by the day in which they were made, so that what is dropped
-- by age goes as a whole. The table that is there becomes the first partition: this file bounds what it takes, the
-- next proves the bound while others write, 0012 swaps. The bound lies eight days ahead, so that the release before,
-- which goes on writing meanwhile, never meets it.
do $$
declare
  bound text := to_char((now() at time zone 'UTC')::date + 8, 'YYYY-MM-DD') || ' 00:00:00+00';
  name text;
begin
  foreach name in array array['webhook_deliveries', 'webhook_attempts'] loop
    execute format('alter table %I drop constraint if exists %I', name, name || '_bound');
    execute format('alter table %I add constraint %I check (created_at < %L) not valid', name, name || '_bound', bound);
  end loop;
end
$$;
