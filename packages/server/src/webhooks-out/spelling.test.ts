import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { createEnvironment, listSigningKeys } from "#environments";
import { createLogger, type EnvironmentContext, withEnvironment } from "#foundation";
import { createTestContext } from "#foundation/testing";
import { DueChannel, startDueLoop } from "#tasks";
import { createDeliveryWork, sendWebhook } from "./index.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server that resolves to the first request it gets. */
async function startReceiver(): Promise<{ url: string; first: Promise<Received> }> {
  const { promise: first, resolve } = Promise.withResolvers<Received>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      resolve({ headers: request.headers, body });
      response.end();
    });
  });
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${Object(address).port}`, first };
}

async function deliver(ctx: EnvironmentContext, connectionString: string): Promise<Received> {
  const receiver = await startReceiver();
  const { accountId } = ctx.environment;
  const name = randomUUID();
  const id = await createEnvironment(ctx, { accountId, name, isProduction: false });
  const own = withEnvironment(ctx, { id, name, accountId });
  await sql`
    update webhook_settings set primary_url = ${receiver.url} where environment_id = ${id}`.execute(
    ctx.db,
  );
  await sendWebhook(own, { type: "auth", body: { from: "svc", type: "auth" } });
  const log = createLogger("silent");
  await using channel = new DueChannel({ connectionString, log });
  await using _loop = startDueLoop({
    channel,
    work: createDeliveryWork(),
    makeContext: (signal) => ({ ...ctx, signal }),
  });
  const received = await receiver.first;
  const [key] = await listSigningKeys(own);
  const hmac = createHmac("sha256", key?.key.reveal() ?? "")
    .update(received.body)
    .digest("hex");
  expect(received.headers["x-svc-hmac-sha256"]).toBe(hmac);
  return received;
}

test("webhooks are signed under both names and sent in the operator's, when a word is set", async () => {
  await using app = await createTestContext();
  const { connectionString } = app.database;
  const spelled = { ...app.ctx, settings: { ...app.ctx.settings, compatPrefix: "acme" } };

  const plain = await deliver(app.ctx, connectionString);
  const both = await deliver(spelled, connectionString);

  expect(JSON.parse(plain.body)).toEqual({ from: "svc", type: "auth" });
  expect(plain.headers["user-agent"]).toMatch(/^svc\//);
  expect(JSON.parse(both.body)).toEqual({ from: "acme", type: "auth" });
  expect(both.headers["user-agent"]).toMatch(/^acme\//);
  expect(both.headers["x-acme-hmac-sha256"]).toBe(both.headers["x-svc-hmac-sha256"]);
  expect(both.headers["x-acme-signature"]).toBe(both.headers["x-svc-signature"]);
});
