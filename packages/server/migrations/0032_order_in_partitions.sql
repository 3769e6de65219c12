-- compatible since: 0001
-- mode: generated
-- The order of a model's records gets an index that says `sequence > 0`, which is true of every record: only who reads
-- in order says so too. Where statistics know nothing of a model yet, the old index looked as good for a record's id
-- as the key, and each look-up then read the whole model. The next file swaps them.

-- What an attempt that was broken off has left.
select format('drop index concurrently if exists %I', i.relname)
  from pg_partition_tree('records') tree join pg_index x on x.indrelid = tree.relid join pg_class i on i.oid = x.indexrelid
 where tree.isleaf and not x.indisvalid and i.relname like '%\_order';

select format('create index concurrently %I on %I (model_id, sequence) where sequence > 0', leaf.relname || '_order', leaf.relname)
  from pg_partition_tree('records') tree join pg_class leaf on leaf.oid = tree.relid
 where tree.isleaf and leaf.relkind = 'r'
   and not exists (
     select from pg_index x join pg_class i on i.oid = x.indexrelid
      where x.indrelid = leaf.oid and i.relname = leaf.relname || '_order')
 order by leaf.oid;
