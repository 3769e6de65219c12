import type pg from "pg";

/** Models that one statement fills: its rows, and what Postgres keeps of them, stay below 1 GB. */
const MODELS_AT_ONCE = 25_000;

/** As many records in each model that there is, as `SVC_RECORD_STORAGE=plain` writes them. */
export async function fillModels(client: pg.Client, recordsEach: number): Promise<void> {
  await client.query(
    `select add_record_partitions(number) from record_environments r
      where not exists (select from pg_class where relname = 'records_' || r.number)`,
  );
  const { rows } = await client.query<{ id: string }>("select id from record_models order by id");
  for (let first = 0; first < rows.length; first += MODELS_AT_ONCE) {
    const ids = rows.slice(first, first + MODELS_AT_ONCE).map(({ id }) => id);
    await addRecords(client, ids, recordsEach);
  }
}

/** Of models that have none. */
export async function addRecords(
  client: pg.Client,
  models: readonly string[],
  count: number,
): Promise<void> {
  await client.query(
    `insert into records (model_id, sequence, first_seen_at, last_modified_at, record_id, hash, document)
     select m, n, now(), now(), 'contact-' || n, decode(md5(m || '-' || n), 'hex'),
            jsonb_build_object('id', 'contact-' || n, 'name', 'Contact number ' || n, 'mail', n || '@example.com')
       from unnest($1::bigint[]) m, generate_series(1, $2::int) n`,
    [models, count],
  );
  await client.query(
    `update record_models set sequence = $2::int, live_count = $2::int, max_bytes = 100
      where id = any($1::bigint[])`,
    [models, count],
  );
}
