import { createHash } from "node:crypto";
import type pg from "pg";

export const RECORDS = 100_000;
export const BATCH = 1000;

const TABLE = `
  create table floor (model text, id text, payload jsonb, hash bytea, primary key (model, id))`;

const UPSERT = `
  insert into floor (model, id, payload, hash)
  select $1, * from unnest($2::text[], $3::jsonb[], $4::bytea[])
  on conflict (model, id) do update set payload = excluded.payload, hash = excluded.hash
  where floor.hash is distinct from excluded.hash`;

const PAGE = `
  select id, payload from floor where model = $1 and id > $2 order by model, id limit ${BATCH}`;

/** What plain `pg` does with the same bytes: no encryption, one table, one statement per batch. */
export interface Floor {
  /** Milliseconds. */
  save(round: number): Promise<number>;
  /** Milliseconds to read all by pages of 1000, each written as JSON. */
  read(): Promise<number>;
}

export async function makeFloor(client: pg.Client): Promise<Floor> {
  await client.query(TABLE);
  return { save: (round) => save(client, round), read: () => read(client) };
}

async function save(client: pg.Client, round: number): Promise<number> {
  const startedAt = performance.now();
  for (let from = 0; from < RECORDS; from += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, offset) => toRow(from + offset, round));
    const ids = rows.map(({ id }) => id);
    const payloads = rows.map((row) => JSON.stringify(row));
    const hashes = payloads.map((text) => createHash("sha256").update(text).digest());
    await client.query({ name: "floor", text: UPSERT, values: ["m", ids, payloads, hashes] });
  }
  return performance.now() - startedAt;
}

/** As the function `save` makes it. */
function toRow(number: number, round: number) {
  const id = String(number);
  const turn = number % 10;
  const version = turn !== 0 && turn <= round ? turn : 0;
  return { id, name: `row ${id}`, text: `${id} ${version} `.padEnd(960, "lorem ipsum ") };
}

async function read(client: pg.Client): Promise<number> {
  const startedAt = performance.now();
  let after = "";
  let bytes = 0;
  for (;;) {
    const page = { name: "page", text: PAGE, values: ["m", after] };
    const { rows } = await client.query<{ id: string; payload: object }>(page);
    bytes += JSON.stringify({ records: rows.map(({ payload }) => payload) }).length;
    after = rows.at(-1)?.id ?? after;
    if (rows.length < BATCH) break;
  }
  if (bytes < RECORDS * 1000) throw new Error(`the floor read only ${bytes} characters`);
  return performance.now() - startedAt;
}
