import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { cpuMsOf, createTestContext, type TestContext } from "#foundation/testing";
import { routers } from "./match/all-routers.ts";
import { type InboundRequest, UnreadableWebhook, type WebhookKeys } from "./match/router.ts";
import type { Routing } from "./match/routing.ts";
import { examineRequest, listEvents } from "./reading/read-webhook.ts";
import { type HostileBody, hostileBodies } from "./testing/hostile-bodies.ts";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

const BYTES = 32 * 1024;
// The wanted 50 ms a MB, with room for the garbage collector of a busy machine.
const MS_PER_MB = 50;
const keys: WebhookKeys = {
  webhookSecret: undefined,
  clientSecret: undefined,
  app: undefined,
  connectionSecret: undefined,
};
const hmac = {
  header: "x-signature",
  algorithm: "sha256",
  encoding: "hex",
  type: "event.type",
  match: [{ value: "account.id", property: "config.account" }],
} as const;
const routings: Routing[] = [
  { kind: "plain" },
  { kind: "hmac", hmac },
  ...Object.keys(routers).map((name) => ({ kind: "named" as const, name })),
];

function toRequest({ contentType, body }: HostileBody): InboundRequest {
  const headers = { "content-type": contentType };
  return { method: "POST", url: "https://here.example/w", headers, query: {}, body };
}

/** What it came to; anything but these is a fault of ours. */
async function readWith(ctx: EnvironmentContext, routing: Routing, request: InboundRequest) {
  try {
    const documents = new Map();
    const asked = { routing, request, keys, documents, now: ctx.clock.now() };
    // Read although it proves nothing, as after a signature.
    const examined = await examineRequest(ctx, {
      ...asked,
      decodedBody: undefined,
      allowUnsigned: true,
    });
    await listEvents(ctx, routing, request);
    return examined.kind;
  } catch (error) {
    if (error instanceof UnreadableWebhook) return "unreadable";
    throw error;
  }
}

for (const routing of routings) {
  const name = routing.kind === "named" ? routing.name : routing.kind;

  test(`${name}: no body holds the main thread or breaks the reader`, async () => {
    const requests = hostileBodies(BYTES).map(toRequest);
    const megabytes = requests.reduce((sum, { body }) => sum + body.byteLength, 0) / 2 ** 20;
    const kinds = new Set<string>();

    const cpuMs = await cpuMsOf(async () => {
      for (const request of requests) kinds.add(await readWith(app.ctx, routing, request));
    });

    expect(["taken", "unreadable", "refused", "handshake", "empty"]).toEqual(
      expect.arrayContaining([...kinds]),
    );
    // Of receiving and of handling.
    expect(cpuMs / megabytes).toBeLessThan(2 * MS_PER_MB);
  });
}
