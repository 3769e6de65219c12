-- compatible since: 0001
-- The state of a run stands in no index: open ones are found by what holds them, their sync or their lane.
drop index if exists runs_open;

-- Room for the next versions of a row beside it; also where the table consists of partitions.
do $$
declare
  part regclass;
begin
  for part in
    select 'runs'::regclass from pg_class where oid = 'runs'::regclass and relkind = 'r'
    union all
    select relid from pg_partition_tree('runs') where isleaf and relid <> 'runs'::regclass
  loop
    execute format('alter table %s set (fillfactor = 60)', part);
  end loop;
end
$$;
