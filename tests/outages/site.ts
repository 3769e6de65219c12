import { createServer, type IncomingMessage } from "node:http";
import { type Api, apiOf } from "../journeys/api.ts";
import { newUpload } from "../syncs/installation.ts";

/** A server whose database is taken away, seen from outside. */
export interface Site {
  /** Of each API process. */
  readonly urls: readonly string[];
  readonly key: string;
  /** Asks the database itself, by a way that no outage of the server's way touches; repeated until it answers. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Those that the load uses: `c-1`, `c-2`, … */
export const CONNECTIONS = 10;
/**
 * What the load leaves alone. Actions of one connection run one after the other, so on another one a probe would
 * measure how much more the load asks for than the machine can do, instead of whether the queue works.
 */
export const PROBE = "probe";

/** Plays the provider and the customer: counts what the server forwards, by the id of the event. */
export interface Outside extends AsyncDisposable {
  readonly url: string;
  readonly forwarded: ReadonlyMap<string, number>;
}

export async function startOutside(): Promise<Outside> {
  const forwarded = new Map<string, number>();
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const id = text === "" ? undefined : idOf(JSON.parse(text));
      if (id !== undefined) forwarded.set(id, (forwarded.get(id) ?? 0) + 1);
      response.setHeader("content-type", "application/json");
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    forwarded,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function idOf(body: unknown): string | undefined {
  const { payload } = Object(body);
  const { id } = Object(payload);
  return typeof id === "string" ? id : undefined;
}

const exec = `
  const { n } = (await svc.getCheckpoint()) ?? { n: 0 };
  await svc.batchSave(Array.from({ length: 5 }, (_, i) => ({ id: String(i), n })), "Row");
  await svc.saveCheckpoint({ n: n + 1 });`;

/** Integrations, connections, a sync every 30 s, an action, webhooks in and out. */
export async function setUpSite(site: Site, outside: Outside): Promise<{ webhookPath: string }> {
  const api: Api = apiOf(site.urls[0] ?? "", site.key);
  await expectDone(
    api("POST", "/integrations", { body: { provider: "unauthenticated", unique_key: "crm" } }),
  );
  const loaded = Array.from({ length: CONNECTIONS }, (_, index) => `c-${index + 1}`);
  for (const connection_id of [...loaded, PROBE]) {
    const body = {
      ...{ provider_config_key: "crm", connection_id },
      credentials: { type: "NONE" },
    };
    await expectDone(api("POST", "/connections", { body }));
  }
  await expectDone(api("POST", "/sync/deploy", { body: newUpload(exec, "every 30 seconds") }));
  await expectDone(api("PATCH", "/environment/webhooks", { body: { primary_url: outside.url } }));
  const credentials = { type: "OAUTH2", client_id: "id", client_secret: "secret" };
  const stripe = { provider: "stripe", unique_key: "payments", credentials };
  await expectDone(api("POST", "/integrations", { body: stripe }));
  const { body } = await expectDone(api("GET", "/integrations/payments?include=webhook"));
  return { webhookPath: new URL(String(body.data.webhook_url)).pathname };
}

async function expectDone(call: ReturnType<Api>): ReturnType<Api> {
  const answer = await call;
  if (answer.status < 300) return answer;
  throw new Error(`set-up: ${answer.status} ${JSON.stringify(answer.body)}`);
}
