import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { tableFromIPC } from "apache-arrow";
import { readParquet } from "parquet-wasm";
import {
  bucketKeys,
  startTestBucket,
  type TestBucket,
} from "../../packages/server/src/destinations/testing/test-bucket.ts";
import type { TrialResult } from "../refresh/trial-result.ts";
import { settleDelivery } from "./destination-kills.ts";
import { compare, countChanges, execOf, type Rows, settle } from "./feed-kills.ts";
import { addConnections, type Installation, newUpload, startInstallation } from "./installation.ts";
import { makeRandom } from "./storm.ts";

export interface BucketPlan extends Rows {
  /** The blows and their times follow from it. */
  readonly seed: number;
  /** `bucket`: refuses everything for a while; `answers`: takes objects, but its answers are lost. */
  readonly victims: readonly ("worker" | "postgres" | "bucket" | "answers")[];
  /** From one blow to the next, at least and at most. */
  readonly pauseMs: readonly [least: number, most: number];
}

const WORKERS = 2;
const formats = ["ndjson", "parquet"] as const;

/** A change as an object has it. */
interface Change {
  readonly source: string;
  readonly connection_id: string;
  readonly id: string;
  readonly sequence: number;
  readonly deleted_at: unknown;
  readonly at: string;
}

/**
 * J28: changes go to a bucket, as lines and as Parquet, while workers and the database are killed, the bucket refuses
 * objects and its answers are lost. Then, in quiet, the objects have exactly what was saved: no change twice, and those
 * of a connection in their order.
 */
export async function runBucketKills(plan: BucketPlan): Promise<TrialResult> {
  const { seed, victims, pauseMs, connections } = plan;
  await using bucket = await startTestBucket();
  const env = { SVC_WORKER_TIMEOUT: "2", SVC_EGRESS_ALLOW: "127.0.0.1" };
  await using all = await startInstallation({ workers: WORKERS, env });
  await addConnections(all, all.api, { environment: "dev", count: connections });
  const ids = await Promise.all(
    formats.map(async (format) => await addBucket(all, bucket, format)),
  );
  const startedAt = performance.now();
  await all.api("POST", "/sync/deploy", { body: newUpload(execOf(plan), "every 30 seconds") });
  const random = makeRandom(seed);
  for (const victim of victims) {
    await sleep(pauseMs[0] + random() * (pauseMs[1] - pauseMs[0]));
    if (victim === "postgres") await all.restartPostgres(random() * 1000);
    else if (victim === "worker") await all.killWorker(Math.floor(random() * WORKERS));
    else await disturb(bucket, victim, random() * 1000);
  }
  const violations = await settle(all, plan);
  for (const id of ids) violations.push(...(await settleDelivery(all, id, plan)));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  for (const format of formats) violations.push(...check(bucket, format, plan));
  const again = bucket.puts.length - bucket.objects.size;
  const note = `seed ${seed}, ${victims.length} blows, ${bucket.objects.size} objects, ${again} written again, ${seconds} s`;
  return { id: "J28", trials: countChanges(plan), violations, note };
}

async function addBucket(
  all: Installation,
  { endpoint }: TestBucket,
  format: (typeof formats)[number],
): Promise<string> {
  const body = {
    ...{ name: format, type: "s3", endpoint, region: "eu-central-1", bucket: "records" },
    ...{ prefix: format, format, interval_seconds: 1 },
    access_key_id: bucketKeys.accessKeyId,
    secret_access_key: bucketKeys.secretAccessKey,
  };
  return (await all.api("POST", "/records/destinations", { body })).body.data.id;
}

async function disturb(
  bucket: TestBucket,
  victim: "bucket" | "answers",
  forMs: number,
): Promise<void> {
  if (victim === "answers") bucket.isMute = true;
  else bucket.answer = (_request, response) => void response.writeHead(503).end();
  await sleep(forMs);
  bucket.isMute = false;
  bucket.answer = undefined;
}

function check(bucket: TestBucket, format: (typeof formats)[number], plan: Rows): string[] {
  const violations: string[] = [];
  const last = new Map<string, number>();
  const state = new Map<string, string>();
  for (const { source, sequence, ...change } of readChanges(bucket, format)) {
    const before = last.get(source) ?? 0;
    if (sequence <= before) violations.push(`${format}: ${sequence} after ${before}`);
    last.set(source, sequence);
    const { connection_id: connection, id, deleted_at: deleted, at } = change;
    state.set(`${connection} ${id}`, deleted === null ? at : "deleted");
  }
  return [...violations.slice(0, 5), ...compare(state, plan)].map((text) => `${format}: ${text}`);
}

/** All changes in the order of the objects' names. */
function* readChanges({ objects }: TestBucket, format: string): Generator<Change> {
  const names = [...objects.keys()].filter((name) => name.startsWith(`${format}/`)).toSorted();
  for (const name of names) {
    const body = objects.get(name) ?? Buffer.of();
    if (name.endsWith(".ndjson.gz")) yield* readLines(body);
    else if (name.endsWith(".parquet")) yield* readColumns(body);
  }
}

function* readLines(body: Buffer): Generator<Change> {
  for (const line of gunzipSync(body).toString().trim().split("\n")) {
    const change = JSON.parse(line);
    yield { ...change, at: String(change.data.at) };
  }
}

function* readColumns(body: Buffer): Generator<Change> {
  for (const row of tableFromIPC(readParquet(body).intoIPCStream())) {
    if (row === null) continue;
    const change = row.toJSON();
    yield {
      ...{ source: change["source"], connection_id: change["connection_id"], id: change["id"] },
      ...{ sequence: Number(change["sequence"]), deleted_at: change["deleted_at"] },
      at: String(JSON.parse(change["data"]).at),
    };
  }
}
