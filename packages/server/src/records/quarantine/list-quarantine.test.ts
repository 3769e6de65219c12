import { afterAll, beforeAll, expect, test } from "vitest";
import { newTimeId, type RunId } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { insertTestConnection, insertTestIntegration } from "#functions/testing";
import { listQuarantine } from "./list-quarantine.ts";
import { quarantineRecords } from "./quarantine-records.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

const MODELS = 12;
const writer = { runId: newTimeId<RunId>(new Date()), fence: 1 };

test("a page of quarantined models has each with its own reasons, the newest first", async () => {
  const ctx = await app.addEnvironment();
  const integration = await insertTestIntegration(ctx, "crm");
  const { uuid: connection } = await insertTestConnection(ctx, integration, "customer-1");
  const models = Array.from({ length: MODELS }, (_, n) => `Model${n}`);
  for (const model of models) {
    await quarantineRecords(ctx, {
      ...{ connection, model, writer, ids: ["1"], reasonOf: [0], samples: [] },
      reasons: [
        { pointer: `/${model}`, code: "invalid_type", expected: "string", received: "null" },
      ],
      lines: [Buffer.from('{"id":"1"}')],
    });
  }
  const all = { connection: undefined, model: undefined };

  const first = await listQuarantine(ctx, { ...all, limit: MODELS - 1, cursor: undefined });
  const last = await listQuarantine(ctx, {
    ...{ ...all, limit: MODELS },
    cursor: first.next_cursor ?? undefined,
  });

  const listed = [...first.data, ...last.data];
  expect(first.data).toHaveLength(MODELS - 1);
  expect(listed.map(({ model }) => model)).toEqual(models.toReversed());
  expect(listed.map(({ reasons }) => reasons.map(({ pointer }) => pointer))).toEqual(
    models.toReversed().map((model) => [`/${model}`]),
  );
});
