import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actions, triggerAction } from "#actions";
import { connections, createConnection, getConnection } from "#connections";
import { environments } from "#environments";
import { deployFunctions, functions, runPreDeletion } from "#functions";
import {
  newAction,
  newBundle,
  newUpload,
  readCanary,
  rollBackByHand,
  startTestCanary,
} from "#functions/testing";
import { createIntegration, integrations } from "#integrations";
import { flushLogs } from "#logs";
import { proxy } from "#proxy";
import { type TestApp, testApp } from "#testing";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    slices: [actions, connections, environments, functions, integrations, proxy],
    runsFunctions: true,
  });
});
afterAll(async () => await app[Symbol.asyncDispose]());

/** An action that answers with the version, and an on-event function that logs it. */
function uploadOf(version: string) {
  const event = "pre-connection-deletion" as const;
  const fileBody = newBundle(
    "on-event",
    `await svc.log("deleted by ${version}", { level: "error" });`,
  );
  return newUpload({
    flowConfigs: [newAction("greet", { fileBody: newBundle("action", `return "${version}";`) })],
    onEventScriptsByProvider: [
      { providerConfigKey: "crm", scripts: [{ name: "farewell", event, fileBody }] },
    ],
  });
}

test("actions and on-event functions run the version of their connection, until the canary ends", async () => {
  const ctx = await app.addEnvironment();
  const integration = await createIntegration(ctx, {
    ...{ provider: "private-api-bearer", uniqueKey: "crm", displayName: undefined },
    ...{ forwardWebhooks: true, credentials: undefined, custom: {}, settings: {} },
    integrationConfig: {},
  });
  const connect = async (connectionId: string) =>
    await createConnection(ctx, {
      ...{ integration, connectionId, metadata: undefined, connectionConfig: undefined },
      ...{ tags: {}, webhookUrlOverride: undefined },
      credentials: { type: "API_KEY", apiKey: "k" },
    });
  for (const connectionId of ["chosen", "other"]) await connect(connectionId);
  const greet = async (connectionId: string): Promise<unknown> => {
    const call = { integrationKey: "crm", connectionId, actionName: "greet", input: {} };
    return JSON.parse(Buffer.from(await triggerAction(ctx, call)).toString());
  };
  const sayFarewell = async (connectionId: string): Promise<unknown> => {
    await sql`delete from operation_messages`.execute(ctx.db);
    const connection = await getConnection(ctx, { integration, connectionId });
    await runPreDeletion(ctx, { integration, connection });
    await flushLogs(ctx);
    const { rows } = await sql<{ message: string }>`
      select message from operation_messages where message like 'deleted by %'`.execute(ctx.db);
    return rows.map(({ message }) => message);
  };
  await deployFunctions(ctx, uploadOf("old"));

  const canary = await startTestCanary(ctx, uploadOf("new"), {
    connections: { connection_ids: ["chosen"] },
  });
  const during = {
    greetings: [await greet("chosen"), await greet("other")],
    farewells: [await sayFarewell("chosen"), await sayFarewell("other")],
  };
  const counted = await readCanary(ctx, canary.id);
  await rollBackByHand(ctx, canary.id);

  expect(during).toEqual({
    greetings: ["new", "old"],
    farewells: [["deleted by new"], ["deleted by old"]],
  });
  expect(counted.functions).toHaveLength(2);
  for (const compared of counted.functions) {
    expect(compared).toMatchObject({ canary: { runs: 1 }, outside: { runs: 1 } });
  }
  expect([await greet("chosen"), await sayFarewell("chosen")]).toEqual(["old", ["deleted by old"]]);
});
