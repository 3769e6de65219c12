-- compatible since: 0001
-- mode: generated
-- Rows that were there before, a range of pages each, so that no lock and no transaction is long. What is written
-- meanwhile has the column. Looked up row by row, so that no range reads the whole of the other table.
select format(
         'update inbound_webhook_connections c '
         'set environment_id = (select w.environment_id from inbound_webhooks w where w.id = c.webhook_id) '
         'where c.ctid >= ''(%s,0)'' and c.ctid < ''(%s,0)'' and c.environment_id is null',
         first, first + 1000)
  from generate_series(0, pg_relation_size('inbound_webhook_connections') / current_setting('block_size')::int, 1000) as page (first);
