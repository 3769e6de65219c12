-- compatible since: 0001
-- mode: generated
-- A list of operations that took long reads what it answers: it looked at up to 10,000 others. What has not ended is found
-- by itself: each day all that did not succeed was read for it. The next file makes indexes of those of the partitions.

-- What an attempt that was broken off has left.
select format('drop index concurrently if exists %I', i.relname)
  from pg_partition_tree('operations') tree join pg_index x on x.indrelid = tree.relid join pg_class i on i.oid = x.indexrelid
 where tree.isleaf and not x.indisvalid and i.relname ~ '_(slow|open)$';

select format('create index concurrently %I on %I %s', leaf.relname || wanted.suffix, leaf.relname, wanted.definition)
  from pg_partition_tree('operations') tree join pg_class leaf on leaf.oid = tree.relid
 cross join (values
   ('_slow', $$(environment_id,
      width_bucket(ended_at - coalesce(started_at, created_at), '{1 s,4 s,16 s,64 s,256 s,1024 s,4096 s,16384 s}'::interval[]),
      created_at desc, id desc) where ended_at - coalesce(started_at, created_at) >= interval '1 s'$$),
   ('_open', $$(created_at) where state in ('waiting', 'running')$$))
   as wanted (suffix, definition)
 where tree.isleaf and leaf.relkind = 'r'
   and not exists (
     select from pg_index x join pg_class i on i.oid = x.indexrelid
      where x.indrelid = leaf.oid and i.relname = leaf.relname || wanted.suffix)
 order by leaf.oid, wanted.suffix;
