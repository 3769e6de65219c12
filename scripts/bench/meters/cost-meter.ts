import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { readCpuTime } from "./cpu-time.ts";
import type { BenchRow } from "./row.ts";
import { readTableBytes } from "./table-bytes.ts";

/** What is measured: two processes of the server and the database's server, by process id. */
export interface Measured {
  readonly api: number;
  readonly worker: number;
  readonly database: number;
}

interface Reading {
  readonly apiMs: number;
  readonly workerMs: number;
  readonly functionsMs: number;
  readonly databaseMs: number;
  readonly walBytes: number;
  readonly pageImages: number;
  readonly commits: number;
}

type Usage = { readonly [Name in keyof Reading]: number };

const AT_REST_MS = 10_000;
/** Postgres reports its counts within a second. */
const REPORTED_MS = 1500;

/** Bytes on disk that a unit of work adds, by table, with its indexes. */
export type Growth = ReadonlyMap<string, number>;

/** CPU, WAL and bytes on disk by unit of work, less what the installation costs at rest. */
export class CostMeter {
  /** By the name of the unit. */
  readonly growths = new Map<string, Growth>();
  readonly #client: pg.Client;
  readonly #measured: Measured;
  #restPerMs: Usage | undefined;

  constructor(client: pg.Client, measured: Measured) {
    this.#client = client;
    this.#measured = measured;
  }

  /** What a second at rest costs; taken off what is measured from then on. */
  async measureRest(): Promise<BenchRow> {
    const before = await this.#read();
    await sleep(AT_REST_MS);
    const used = difference(await this.#read(), before);
    this.#restPerMs = scale(used, 1 / AT_REST_MS);
    return toRow("a second at rest", scale(used, 1000 / AT_REST_MS));
  }

  /** `work` resolves to how many units it has done, when all that follows from them has been done too. */
  async measure(name: string, work: () => Promise<number>): Promise<BenchRow> {
    const bytesBefore = await readTableBytes(this.#client);
    const startedAt = performance.now();
    const before = await this.#read();
    const units = await work();
    await sleep(REPORTED_MS);
    const after = await this.#read();
    const rest = this.#restPerMs;
    const elapsedMs = performance.now() - startedAt;
    const used = difference(after, before);
    const own = rest === undefined ? used : difference(used, scale(rest, elapsedMs));
    const growth = new Map(
      [...(await readTableBytes(this.#client))]
        .map(([table, bytes]) => [table, bytes - (bytesBefore.get(table) ?? 0)] as const)
        .filter(([, bytes]) => bytes > 0)
        .map(([table, bytes]) => [table, bytes / units] as const),
    );
    this.growths.set(name, growth);
    const grown = growth.values().reduce((sum, bytes) => sum + bytes, 0);
    const notes = [
      `${(grown / 1000).toFixed(2)} KB on disk`,
      `${units.toLocaleString("en")} of them`,
    ];
    return toRow(name, scale(own, 1 / units), notes.join("; "));
  }

  async #read(): Promise<Reading> {
    const { rows } = await this.#client.query(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal,
              (select wal_fpi::float8 from pg_stat_wal) as images,
              (select sum(xact_commit)::float8 from pg_stat_database) as commits`,
    );
    const [api, worker, database] = [
      readCpuTime(this.#measured.api),
      readCpuTime(this.#measured.worker),
      readCpuTime(this.#measured.database),
    ];
    return {
      apiMs: api.ownMs,
      workerMs: worker.ownMs,
      functionsMs: api.belowMs + worker.belowMs,
      databaseMs: database.ownMs + database.belowMs,
      walBytes: rows[0].wal,
      pageImages: rows[0].images,
      commits: rows[0].commits,
    };
  }
}

function difference(after: Usage, before: Usage): Usage {
  return mapUsage(after, (value, name) => value - before[name]);
}

function scale(usage: Usage, factor: number): Usage {
  return mapUsage(usage, (value) => value * factor);
}

function mapUsage(usage: Usage, map: (value: number, name: keyof Reading) => number): Usage {
  const of = (name: keyof Reading) => map(usage[name], name);
  return {
    apiMs: of("apiMs"),
    workerMs: of("workerMs"),
    functionsMs: of("functionsMs"),
    databaseMs: of("databaseMs"),
    walBytes: of("walBytes"),
    pageImages: of("pageImages"),
    commits: of("commits"),
  };
}

function toRow(name: string, usage: Usage, note?: string): BenchRow {
  const ms = (value: number) => Math.max(0, value).toFixed(2);
  return {
    name: `cost of ${name}`,
    value: usage.databaseMs,
    unit: "ms of the database's CPU",
    note: [
      `API ${ms(usage.apiMs)}, worker ${ms(usage.workerMs)}, functions ${ms(usage.functionsMs)} ms`,
      `${(usage.walBytes / 1000).toFixed(2)} KB of WAL with ${usage.pageImages.toFixed(2)} page images`,
      `${usage.commits.toFixed(1)} transactions`,
      ...(note === undefined ? [] : [note]),
    ].join("; "),
  };
}
