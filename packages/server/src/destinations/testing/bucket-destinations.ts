import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import * as z from "zod";
import { type EnvironmentContext, MINUTE, newTimeId, type RunId } from "#foundation";
import { insertTestConnection, insertTestIntegration } from "#functions/testing";
import { deleteRecords, saveRecords } from "#records/testing";
import type { TestApp } from "#testing";
import { deliver } from "../delivering/deliver.ts";
import { claimDestinations } from "../store.ts";
import { bucketKeys, type TestBucket } from "./test-bucket.ts";

const line = z.looseObject({
  type: z.enum(["record", "removed"]),
  position: z.number(),
  source: z.string(),
  id: z.string().optional(),
  sequence: z.number().optional(),
  model: z.string(),
  deleted_at: z.string().nullable().optional(),
  data: z.looseObject({ text: z.string().optional() }).nullable().optional(),
});

export type Line = z.output<typeof line>;

const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };

/** The lines of all objects of a bucket, in the order of the objects' names. */
export function linesOf({ objects }: TestBucket): Line[] {
  return [...objects]
    .filter(([name]) => name.endsWith(".ndjson.gz"))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, body]) => gunzipSync(body).toString().trim().split("\n"))
    .map((text) => line.parse(JSON.parse(text)));
}

/** What a reader of the objects has in the end: the last change of each record. */
export function stateOfLines(lines: readonly Line[]): Map<string, string> {
  const state = new Map<string, string>();
  for (const { type, source, id, data, deleted_at: deleted } of lines) {
    if (type === "record") {
      state.set(`${source} ${id}`, deleted ? "deleted" : String(data?.text));
      continue;
    }
    for (const key of state.keys()) if (key.startsWith(`${source} `)) state.delete(key);
  }
  return state;
}

/** An environment with one connection, whose records go to buckets. */
export async function bucketEnvironment(app: TestApp) {
  const ctx = await app.addEnvironment();
  const integration = await insertTestIntegration(ctx, "crm");
  const connection = (await insertTestConnection(ctx, integration, "customer-1")).uuid;
  /** One delivery, as a worker makes it. */
  const deliverOnce = async (inside: EnvironmentContext = ctx): Promise<void> => {
    const options = { now: ctx.clock.now(), limit: 1, heldMs: 2 * MINUTE, crowded: [] };
    const [claimed] = await claimDestinations(app.ctx.db, options);
    if (claimed !== undefined) await deliver(inside, claimed);
  };
  return {
    ctx,
    connection,
    deliverOnce,
    async deliverWhenDue(inside: EnvironmentContext = ctx) {
      app.clock.advance(10 * MINUTE);
      await deliverOnce(inside);
    },
    async save(model: string, ids: readonly string[], text = "") {
      const lines = ids.map((id) => Buffer.from(JSON.stringify({ id, text })));
      await saveRecords(ctx, { connection, model, writer, ids, lines });
    },
    async remove(model: string, ids: readonly string[]) {
      await deleteRecords(ctx, { connection, model, writer, ids });
    },
    async call(method: "GET" | "POST" | "PATCH" | "DELETE", path = "", payload?: object) {
      const url = `/records/destinations${path}`;
      const response = await app.server.inject({ method, url, ...(payload && { payload }) });
      const { statusCode: status, body: text } = response;
      return { status, text, body: text === "" ? undefined : response.json() };
    },
    async create(bucket: Pick<TestBucket, "endpoint">, more: object = {}): Promise<string> {
      const { status, body, text } = await this.call("POST", "", {
        ...{ name: "lake", type: "s3", endpoint: bucket.endpoint, region: "eu-central-1" },
        ...{ bucket: "records", format: "ndjson", access_key_id: bucketKeys.accessKeyId },
        secret_access_key: bucketKeys.secretAccessKey,
        ...more,
      });
      expect(status, text).toBe(201);
      return body.data.id;
    },
  };
}

export type BucketEnvironment = Awaited<ReturnType<typeof bucketEnvironment>>;
