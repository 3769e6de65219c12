-- compatible since: 0001
-- mode: generated
-- Lists of operations by type or function, and of what failed of a connection or an integration, read what they answer:
-- they looked at up to 10,000 others. The next file makes indexes of those of the partitions.

-- What an attempt that was broken off has left.
select format('drop index concurrently if exists %I', i.relname)
  from pg_partition_tree('operations') tree join pg_index x on x.indrelid = tree.relid join pg_class i on i.oid = x.indexrelid
 where tree.isleaf and not x.indisvalid
   and i.relname ~ '_(type|function|connection_unusual|integration_unusual)$';

select format('create index concurrently %I on %I (environment_id, %s, created_at desc, id desc) %s',
              leaf.relname || wanted.suffix, leaf.relname, wanted.part, wanted.condition)
  from pg_partition_tree('operations') tree join pg_class leaf on leaf.oid = tree.relid
 cross join (values
   ('_type', 'type', ''),
   ('_function', '(function ->> ''name'')', 'where function is not null'),
   ('_connection_unusual', '(connection ->> ''name'')', 'where state <> ''success'''),
   ('_integration_unusual', '(integration ->> ''name'')', 'where state <> ''success'''))
   as wanted (suffix, part, condition)
 where tree.isleaf and leaf.relkind = 'r'
   and not exists (
     select from pg_index x join pg_class i on i.oid = x.indexrelid
      where x.indrelid = leaf.oid and i.relname = leaf.relname || wanted.suffix)
 order by leaf.oid, wanted.suffix;
