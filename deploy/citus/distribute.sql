-- Distributes the heavy tables of a schema that prepare.sql has made ready. Run it once, on the coordinator, with all
-- servers stopped and all workers added; see docs/scale.md.
--
--   psql -v ON_ERROR_STOP=1 -f distribute.sql "$SVC_DATABASE_URL"
create extension if not exists citus;

-- The first server holds no rows of distributed tables, but is a node: tables that stay on it are joined with others.
select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', false) from pg_dist_node where groupid = 0;

-- Found by name in statements that the workers run.
select create_distributed_function('log_words(text, text, text, text)');

select citus_add_local_table_to_metadata('two_phase_guard');

-- By environment.
select create_distributed_table('operations', 'environment_id', colocate_with => 'none');
select create_distributed_table('operation_messages', 'environment_id', colocate_with => 'operations');
select create_distributed_table('inbound_events', 'environment_id', colocate_with => 'operations');
select create_distributed_table('inbound_webhooks', 'environment_id', colocate_with => 'operations');
select create_distributed_table('inbound_webhook_connections', 'environment_id', colocate_with => 'operations');
select create_distributed_table('webhook_receivers', 'environment_id', colocate_with => 'operations');
select create_distributed_table('webhook_payloads', 'environment_id', colocate_with => 'operations');
select create_distributed_table('webhook_deliveries', 'environment_id', colocate_with => 'operations');
select create_distributed_table('webhook_attempts', 'environment_id', colocate_with => 'operations');
select create_distributed_table('delivery_turns', 'environment_id', colocate_with => 'operations');
select create_distributed_table('failed_deliveries', 'environment_id', colocate_with => 'operations');

-- By model of records.
select create_distributed_table('record_models', 'id', colocate_with => 'none');
select create_distributed_table('records', 'model_id', colocate_with => 'record_models');
select create_distributed_table('record_sightings', 'model_id', colocate_with => 'record_models');
select create_distributed_table('record_trackings', 'model_id', colocate_with => 'record_models');
select create_distributed_table('record_versions', 'model_id', colocate_with => 'record_models');
select create_distributed_table('record_quarantine_reasons', 'model_id', colocate_with => 'record_models');
select create_distributed_table('quarantined_records', 'model_id', colocate_with => 'record_models');
select create_distributed_table('record_quarantine_samples', 'model_id', colocate_with => 'record_models');
