import { sql } from "kysely";
import { expect, test } from "vitest";
import {
  listWebhookRuns,
  startInboxServer,
  subscribe,
} from "../../packages/server/src/webhooks-in/testing/index.ts";
import { countStatements } from "../count-statements.ts";

const MANY = 2300;

test("a webhook for all connections of an integration is passed on by the page, and kept once", async () => {
  // Before the server connects: its clients keep the method that they begin with.
  using statements = countStatements();
  await using server = await startInboxServer();
  const ctx = await server.environment();
  const integration = await server.integration(ctx, "affinity");
  await sql`
    insert into connections
      (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at)
    select gen_random_uuid(), ${ctx.environment.id}, ${integration.id}, 'customer-' || n, 'NONE', '', now(), now()
      from generate_series(1, ${MANY}::int) n`.execute(ctx.db);
  await subscribe(ctx, integration, ["*"]);
  const count = async (table: string) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table)} where environment_id = ${ctx.environment.id}`.execute(
      ctx.db,
    );
    return rows[0]?.count;
  };
  const body = JSON.stringify({ type: "person.created" });
  const headers = { "content-type": "application/json" };
  await server.send(server.pathOf(integration), { headers, body });
  statements.mostRows = 0;

  await server.handle();
  const { mostRows } = statements;

  expect(mostRows).toBeGreaterThan(100);
  expect(mostRows).toBeLessThanOrEqual(1000);
  expect(await listWebhookRuns(ctx)).toHaveLength(MANY);
  expect(await count("webhook_deliveries")).toBe(MANY);
  expect(await count("webhook_payloads")).toBe(1);
  expect(await count("webhook_inputs")).toBe(1);
  expect(await count("inbound_webhook_connections")).toBe(MANY);
});
