import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifySealed } from "#vault";
import { connections } from "./slice.ts";
import { type ConnectionServer, startConnectionServer } from "./testing/connection-server.ts";

let server: ConnectionServer;

beforeAll(async () => {
  server = await startConnectionServer([]);
});
afterAll(async () => await server[Symbol.asyncDispose]());

test("the check of the vault passes over credentials that a deletion emptied, and finds those that vanished", async () => {
  const { call, installation } = server;
  const { ctx } = installation;
  for (const id of ["leaves", "vanishes", "stays"]) {
    await call("full", "POST", "/connections", {
      provider_config_key: "plain",
      connection_id: id,
      credentials: { apiKey: id },
    });
  }

  await call("full", "DELETE", "/connections/leaves?provider_config_key=plain");
  const [afterDeletion] = await verifySealed(ctx, connections.sealedColumns);
  await sql`update connections set credentials = '' where connection_id = 'vanishes'`.execute(
    ctx.db,
  );
  const [afterLoss] = await verifySealed(ctx, connections.sealedColumns);

  expect(afterDeletion).toMatchObject({ ok: 2, failed: 0 });
  expect(afterLoss).toMatchObject({ ok: 1, failed: 1 });
});
