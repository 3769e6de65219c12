-- compatible since: 0001
-- mode: generated
-- A list of one integration's operations reads those alone: of an integration with few among many, it looked at up to
-- 50,000 others. The next file makes one index of those of the partitions.

-- What an attempt that was broken off has left.
select format('drop index concurrently if exists %I', i.relname)
  from pg_partition_tree('operations') tree join pg_index x on x.indrelid = tree.relid join pg_class i on i.oid = x.indexrelid
 where tree.isleaf and not x.indisvalid and i.relname like '%\_integration';

select format(
         'create index concurrently %I on %I (environment_id, (integration ->> ''name''), created_at desc, id desc)',
         leaf.relname || '_integration', leaf.relname)
  from pg_partition_tree('operations') tree join pg_class leaf on leaf.oid = tree.relid
 where tree.isleaf and leaf.relkind = 'r'
   and not exists (
     select from pg_index x join pg_class i on i.oid = x.indexrelid
      where x.indrelid = leaf.oid and i.relname = leaf.relname || '_integration')
 order by leaf.oid;
