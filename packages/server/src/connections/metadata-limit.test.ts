import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { changeMetadata } from "./metadata/change-metadata.ts";
import { getConnectionByUuid } from "./read/get-connection.ts";
import { connectionRuntime } from "./runtime.ts";
import { updateConnectionConfig } from "./save/update-connection-config.ts";
import { prepareConnection } from "./testing/refreshing-connection.ts";
import { type RotatingServer, startRotatingServer } from "./testing/rotating-server.ts";

let installation: TestContext;
let provider: RotatingServer;
beforeAll(async () => {
  installation = await createTestContext();
  provider = await startRotatingServer({ expiresIn: 3600 });
  await ensureLogPartitions(installation.ctx);
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

const LIMIT = 64 * 1024;
/** Metadata of so many bytes of JSON. */
const ofBytes = (bytes: number, name = "a") => ({ [name]: "x".repeat(bytes - name.length - 7) });
const refusal = {
  code: "invalid_body",
  message: expect.stringContaining(`at most ${LIMIT} bytes`),
};

async function prepare() {
  const { ctx } = installation;
  const prepared = await prepareConnection(ctx, { ...provider, expiresIn: 3600 });
  const { integration, connection } = prepared;
  const { uuid, connectionId } = connection;
  const stored = async () => (await getConnectionByUuid(ctx, uuid)).metadata;
  return { ctx, integration, connection, uuid, connectionIds: [connectionId], stored };
}

test("metadata is replaced up to its limit in bytes, and not beyond", async () => {
  const { ctx, integration, connectionIds, stored } = await prepare();
  const change = { integration, connectionIds, mode: "replace" } as const;

  await changeMetadata(ctx, { ...change, metadata: ofBytes(LIMIT) });
  const more = changeMetadata(ctx, { ...change, metadata: ofBytes(LIMIT + 1) });
  const umlauts = changeMetadata(ctx, { ...change, metadata: { a: "ä".repeat(LIMIT / 2) } });

  await expect(more).rejects.toMatchObject(refusal);
  await expect(umlauts).rejects.toMatchObject(refusal);
  expect(await stored()).toEqual(ofBytes(LIMIT));
});

test("what is merged in small parts does not grow past the limit, for none of many connections", async () => {
  const { ctx, integration, connectionIds, stored } = await prepare();
  const change = { integration, connectionIds, mode: "merge" } as const;
  await changeMetadata(ctx, { ...change, metadata: ofBytes(40_000) });

  const more = changeMetadata(ctx, { ...change, metadata: ofBytes(30_000, "b") });

  await expect(more).rejects.toMatchObject(refusal);
  expect(await stored()).toEqual(ofBytes(40_000));
  await changeMetadata(ctx, { ...change, metadata: ofBytes(20_000, "b") });
  expect(Object.keys((await stored()) ?? {})).toEqual(["a", "b"]);
});

test.each(["replace", "merge"] as const)("a function cannot %s more either", async (mode) => {
  const { ctx, uuid } = await prepare();
  const actor = { kind: "function", runId: "run", connection: uuid } as const;
  const params = { mode, metadata: ofBytes(LIMIT + 1) };

  const call = connectionRuntime.setMetadata(
    { ...ctx, actor },
    { run: { connection: uuid }, params },
  );

  await expect(call).rejects.toMatchObject(refusal);
});

test("a configuration that grows by each change ends at the limit", async () => {
  const { ctx, integration, connection } = await prepare();
  const change = async (name: string) =>
    await updateConnectionConfig(ctx, { integration, connection }, { [name]: "x".repeat(8000) });
  for (const name of "abcdefgh") await change(name);

  await expect(change("i")).rejects.toMatchObject(refusal);
});
