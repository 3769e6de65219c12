import { expect, test } from "vitest";
import { deployFunctions } from "#functions";
import { newSync, newUpload } from "#functions/testing";
import { eraseRecords, recordDriftHandlers } from "#records";
import { connection, ctx, runQueued, trigger, useSyncs } from "./testing/syncs-under-test.ts";

useSyncs();

const noInput = { params: undefined, body: undefined, headers: undefined };
const schema = {
  type: "object",
  properties: { id: { type: "string" }, name: { type: "string" } },
  required: ["id"],
};

/** A sync whose schema names `id` and `name`, and lets everything pass. */
async function run(body: string): Promise<void> {
  const js = `
    const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };
    module.exports.default = { type: "sync", models: { Contact: any }, exec: async (svc) => { ${body} } };`;
  const flow = newSync("contacts", {
    fileBody: { js, ts: body },
    models_json_schema: { definitions: { Contact: schema } },
  });
  await deployFunctions(ctx, newUpload({ flowConfigs: [flow], reconcile: true }));
  await trigger();
  await runQueued();
}

async function drift(fields?: "all") {
  const query = { provider_config_key: "crm", connection_id: "customer-1" };
  const asked = { ...query, ...(fields && { fields }) };
  return (await recordDriftHandlers.listDrift(ctx, { ...noInput, query: asked })).data;
}

const save = (records: string) => `await svc.batchSave(${records}, "Contact");`;

test("a field that the schema does not name, and a type that it excludes, are found with their counts", async () => {
  await run(save(`[{ id: "1", name: "a" }, { id: "2", name: 7, score: 1 }]`));
  await run(save(`[{ id: "2", name: 8, score: null }, { id: "3", name: null, score: 2 }]`));

  const [model] = await drift();
  const [whole] = await drift("all");

  expect(model).toMatchObject({ model: "Contact", variant: "base", sampled_records: 4 });
  expect(model?.fields).toMatchObject([
    {
      ...{ pointer: "/name", findings: ["unexpected_type"], in_schema: true },
      ...{ expected: ["string"], null_share: 0.25, null_share_before: null, missing_share: 0 },
    },
    {
      ...{ pointer: "/score", findings: ["new_field"], in_schema: false, expected: null },
      ...{ null_share: 0.25, missing_share: 0.25 },
    },
  ]);
  const counts = model?.fields.map(({ types }) => types.map(({ type, count }) => [type, count]));
  expect(counts?.[1]?.toSorted()).toEqual([
    ["null", 1],
    ["number", 2],
  ]);
  expect(whole?.fields.map(({ pointer }) => pointer)).toEqual(["/id", "/name", "/score"]);
});

test("records as their schema has them drift nowhere, and the report goes with them", async () => {
  await run(save(`[{ id: "1", name: "a" }]`));
  const fine = await drift();
  await run(save(`[{ id: "1", name: "a", more: true }]`));
  const before = (await drift())[0]?.fields.length;
  await trigger({ opts: { reset: true, emptyCache: true } });
  await run("");
  const reset = await drift();
  await run(save(`[{ id: "1", name: "a", more: true }]`));
  await drift();
  await eraseRecords(ctx, ctx.environment.id, [connection.uuid]);

  expect(fine).toMatchObject([{ fields: [] }]);
  expect([before, reset, await drift()]).toEqual([1, [], []]);
});

test("names that look like data are not stored", async () => {
  await run(`
    await svc.batchSave([{ id: "1", ["x".repeat(300)]: { ["a b"]: 1 } }], "Contact");`);

  const [model] = await drift("all");

  expect(model?.fields.map(({ pointer }) => pointer)).toEqual(["/*", "/*/*", "/id"]);
});
