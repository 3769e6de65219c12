import type pg from "pg";
import type { Sealer } from "../lists/open-sealer.ts";

/** Models that one statement fills: its rows, and what Postgres keeps of them, stay below 1 GB. */
const MODELS_AT_ONCE = 25_000;
const SEALED_AT_ONCE = 10_000;

/** As many records in each model that there is, as `SVC_RECORD_STORAGE=plain` writes them. */
export async function fillModels(client: pg.Client, recordsEach: number): Promise<void> {
  await client.query(
    `select add_record_partitions(number) from record_environments r
      where not exists (select from pg_class where relname = 'records_' || r.number)`,
  );
  const { rows } = await client.query<{ id: string }>("select id from record_models order by id");
  for (let first = 0; first < rows.length; first += MODELS_AT_ONCE) {
    const ids = rows.slice(first, first + MODELS_AT_ONCE).map(({ id }) => id);
    await client.query(
      `insert into records (model_id, sequence, first_seen_at, last_modified_at, record_id, hash, document)
       select m, n, now(), now(), 'contact-' || n, decode(md5(m || '-' || n), 'hex'),
              jsonb_build_object('id', 'contact-' || n, 'name', 'Contact number ' || n, 'mail', n || '@example.com')
         from unnest($1::bigint[]) m, generate_series(1, $2::int) n`,
      [ids, recordsEach],
    );
    await countRecords(client, ids, { count: recordsEach, bytes: 85 });
  }
}

/** One more model, of one connection, with as many records, sealed as the server does by default. */
export async function addSealedModel(
  client: pg.Client,
  sealer: Sealer,
  { connectionId, model, count }: { connectionId: string; model: string; count: number },
): Promise<void> {
  const { rows } = await client.query<{ id: string; uuid: string }>(
    `insert into record_models (id, environment_id, connection_uuid, model, last_modified_at, bytes, bytes_sequence)
     select (e.number::bigint << 32) + nextval('record_model_numbers'), e.environment_id, c.uuid, $2, now(), 0, 0
       from record_environments e join connections c on c.connection_id = $1
     returning id, connection_uuid as uuid`,
    [connectionId, model],
  );
  const [added] = rows;
  if (added === undefined) throw new Error(`there is no connection ${connectionId}`);
  const seal = await sealer.recordsOf(added.uuid, model);
  let bytes = 0;
  for (let first = 1; first <= count; first += SEALED_AT_ONCE) {
    const ids = Array.from(
      { length: Math.min(SEALED_AT_ONCE, count - first + 1) },
      (_, n) => `contact-${first + n}`,
    );
    const texts = ids.map((id) => ({
      rest: id,
      plaintext: Buffer.from(JSON.stringify({ id, name: "A contact", mail: `${id}@example.com` })),
    }));
    const { bytes: sealed, sizes } = seal(texts);
    const payloads: Buffer[] = [];
    let at = 0;
    for (const size of sizes) {
      payloads.push(sealed.subarray(at, at + size));
      at += size;
    }
    bytes = Math.max(bytes, ...sizes);
    await client.query(
      `insert into records (model_id, sequence, first_seen_at, last_modified_at, record_id, hash, payload)
       select $1::bigint, $2::int + n - 1, now(), now(), given.id, decode(md5(given.id), 'hex'), given.payload
         from unnest($3::text[], $4::bytea[]) with ordinality as given (id, payload, n)`,
      [added.id, first, ids, payloads],
    );
  }
  await countRecords(client, [added.id], { count, bytes });
}

/** What a model knows of its records once they were counted. */
async function countRecords(
  client: pg.Client,
  models: readonly string[],
  { count, bytes }: { count: number; bytes: number },
): Promise<void> {
  await client.query(
    `update record_models set sequence = $2::int, live_count = $2::int, max_bytes = $3::int,
            bytes = $2::bigint * $3::int, bytes_sequence = $2::int
      where id = any($1::bigint[])`,
    [models, count, bytes],
  );
}
