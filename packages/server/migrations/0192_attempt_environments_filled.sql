-- compatible since: 0001
-- mode: generated
-- Attempts that were there before, a range of pages of a day each, so that no lock and no transaction is long. What is
-- written meanwhile has the column. Looked up row by row, so that no range reads all days of deliveries. An attempt
-- whose delivery's day was dropped stays without: nobody can read it.
select format(
         'update %I a set environment_id = ('
         'select d.environment_id from webhook_deliveries d where d.id = a.delivery_id '
         'and d.created_at >= made_from(a.delivery_id) and d.created_at < made_until(a.delivery_id) limit 1) '
         'where a.ctid >= ''(%s,0)'' and a.ctid < ''(%s,0)'' and a.environment_id is null',
         leaf.relname, first, first + 1000)
  from pg_partition_tree('webhook_attempts') tree join pg_class leaf on leaf.oid = tree.relid
 cross join generate_series(0, pg_relation_size(leaf.oid) / current_setting('block_size')::int, 1000) as page (first)
 where tree.isleaf and leaf.relkind = 'r'
 order by leaf.oid, first;
