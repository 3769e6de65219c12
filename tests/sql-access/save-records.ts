import type pg from "pg";

/** Of one model in each environment, as the first run of a sync leaves it. */
export async function saveRecords(administrator: pg.Client): Promise<void> {
  await administrator.query(`
    insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
      select id, 'crm', 'unauthenticated', now(), now() from environments;
    insert into connections
      (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at)
      select gen_random_uuid(), environment_id, id, 'customer', 'NONE', '', now(), now() from integrations;
    insert into record_environments (environment_id) select id from environments;
    select add_record_partitions(number) from record_environments;
    insert into record_models (id, environment_id, connection_uuid, model, last_modified_at)
      select e.number * 4294967296 + 1, e.environment_id, c.uuid, 'Contact', now()
        from record_environments e join connections c on c.environment_id = e.environment_id;
    insert into records (model_id, sequence, first_seen_at, last_modified_at, record_id, hash, document)
      select m.id, 1, now(), now(), e.name, '', jsonb_build_object('id', e.name)
        from record_models m join environments e on e.id = m.environment_id`);
}
