import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";

export interface KillResult {
  /** Ids of the events that were answered 2xx. */
  readonly accepted: ReadonlySet<string>;
  /** How often each event was forwarded. */
  readonly forwarded: ReadonlyMap<string, number>;
  readonly kills: number;
}

const EVENTS_PER_ROUND = 60;
const SETTLED_WITHIN_MS = 60_000;

/**
 * W6: processes that receive and handle are killed with SIGKILL while events come in, each at another moment; the
 * one started after the last kill has to pass on everything that was answered 2xx.
 */
export async function killReceivers(kills: number): Promise<KillResult> {
  await using folder = await makeDataFolder();
  await using database = await createServerDatabase();
  await using customer = await startCustomer();
  const key = randomUUID();
  const start = async () =>
    await startPlatformProcess({
      dataDir: folder.path,
      env: { SVC_BOOTSTRAP_KEY: key, SVC_DATABASE_URL: database.connectionString },
    });
  let platform = await start();
  const path = await setUp(platform, key, customer.url);
  const accepted = new Set<string>();
  for (let round = 0; round < kills; round += 1) {
    await sendUntilKilled(platform, path, accepted, (EVENTS_PER_ROUND * (round + 1)) / (kills + 1));
    platform = await start();
  }
  const until = performance.now() + SETTLED_WITHIN_MS;
  while (performance.now() < until && [...accepted].some((id) => !customer.forwarded.has(id))) {
    await sleep(50);
  }
  await platform.stop();
  return { accepted, forwarded: customer.forwarded, kills };
}

/** Sends a round of events at once and kills the process once that many were answered. */
async function sendUntilKilled(
  platform: PlatformProcess,
  path: string,
  accepted: Set<string>,
  killAfter: number,
): Promise<void> {
  let answered = 0;
  let killed: Promise<void> | undefined;
  const send = async (id: string): Promise<void> => {
    const response = await fetch(platform.url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id, type: "charge.succeeded" }),
    }).catch(() => undefined);
    if (response?.ok === true) accepted.add(id);
    answered += 1;
    if (answered >= killAfter) killed ??= platform.kill();
  };
  await Promise.all(Array.from({ length: EVENTS_PER_ROUND }, () => send(randomUUID())));
  await killed;
}

async function setUp(platform: PlatformProcess, key: string, url: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const call = async (method: string, path: string, body: object) => {
    const init = { method, headers, body: JSON.stringify(body) };
    const response = await fetch(platform.url + path, init);
    if (!response.ok) throw new Error(await response.text());
  };
  await call("PATCH", "/environment/webhooks", { primary_url: url });
  await call("POST", "/integrations", {
    provider: "stripe",
    unique_key: "payments",
    credentials: { type: "OAUTH2", client_id: "id", client_secret: "secret" },
  });
  const found = await fetch(`${platform.url}/integrations/payments?include=webhook`, { headers });
  const { data } = Object(await found.json());
  return new URL(String(data.webhook_url)).pathname;
}

interface Customer extends AsyncDisposable {
  readonly url: string;
  readonly forwarded: ReadonlyMap<string, number>;
}

async function startCustomer(): Promise<Customer> {
  const forwarded = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { payload } = Object(JSON.parse(Buffer.concat(chunks).toString()));
      const id = String(Object(payload).id);
      forwarded.set(id, (forwarded.get(id) ?? 0) + 1);
      response.end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    forwarded,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
