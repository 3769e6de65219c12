import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import type { PlatformProcess } from "../launcher/platform-process.ts";
import { rolesOf } from "../launcher/start-roles.ts";
import type { TrialResult } from "../refresh/trial-result.ts";
import { startMoodyReceiver } from "./moody-receiver.ts";

export interface KillPlan {
  readonly databaseUrl: string;
  readonly events: number;
  readonly kills: number;
  /** A sender is killed when it has sent this much, or after so long. */
  readonly requestsPerLife: number;
  readonly lifeMs: number;
  readonly settledWithinMs: number;
}

/** One event in 20 gets 410. */
const GONE_EVERY = 20;
const CALLERS = 16;

/** W1: every event of an answered call is delivered at least once, however often its sender dies. */
export async function runSenderKills(plan: KillPlan): Promise<TrialResult> {
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const start = rolesOf({ databaseUrl: plan.databaseUrl, folder: folder.path, key });
  const platform = await start("api");
  const client = new pg.Client({ connectionString: plan.databaseUrl });
  await client.connect();
  let sender: PlatformProcess | undefined;
  try {
    const api = apiOf(platform.url, key);
    const settings = await api("GET", "/environment/webhooks");
    await using receiver = await startMoodyReceiver(settings.body.data.signing_key);
    await api("PATCH", "/environment/webhooks", { body: { primary_url: receiver.url } });
    await api("POST", "/integrations", {
      body: { provider: "private-api-bearer", unique_key: "crm" },
    });
    const committed: string[] = [];
    const creating = createEvents(plan.events, async (name) => {
      const made = await api("POST", "/connections", {
        body: {
          provider_config_key: "crm",
          connection_id: name,
          credentials: { type: "API_KEY", apiKey: "k" },
        },
      });
      if (made.status === 201) committed.push(name);
    });

    let killed = 0;
    for (; killed < plan.kills; killed += 1) {
      sender = await start("worker");
      const before = receiver.requests;
      const until = performance.now() + plan.lifeMs;
      while (receiver.requests < before + plan.requestsPerLife && performance.now() < until) {
        await passWaits(client);
        await sleep(20);
      }
      await sender.kill();
      // Nobody lives who holds one.
      await client.query(
        "update webhook_deliveries set leased_until = null where leased_until is not null",
      );
    }
    await creating;
    sender = await start("worker");
    const until = performance.now() + plan.settledWithinMs;
    while ((await countWaiting(client)) > 0 && performance.now() < until) {
      await passWaits(client);
      await sleep(100);
    }
    const violations = [
      ...(await judge(client, committed, receiver)),
      ...(receiver.forged > 0 ? [`${receiver.forged} requests did not verify`] : []),
      ...(committed.length < plan.events ? [`only ${committed.length} events were made`] : []),
    ];
    const note = `${killed} senders killed, ${receiver.requests} requests for ${committed.length} events`;
    return { id: "W1", trials: committed.length, violations, note };
  } finally {
    await sender?.kill();
    await platform.stop();
    await client.end();
  }
}

async function createEvents(count: number, create: (name: string) => Promise<void>): Promise<void> {
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < count) {
      const n = next;
      next += 1;
      await create(`${n % GONE_EVERY === 0 ? "gone" : "event"}-${n}`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, loop));
}

/** The waits between attempts are proven by a clock that the test moves; here their time passes at once. */
async function passWaits(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    "update webhook_deliveries set next_attempt_at = now() where state = 'waiting' and next_attempt_at > now() and leased_until is null",
  );
  if ((rowCount ?? 0) > 0)
    await client.query("select pg_notify('jackfield_due', 'webhook-deliveries')");
}

async function countWaiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    "select count(*)::int as waiting from webhook_deliveries where state = 'waiting'",
  );
  return rows[0].waiting;
}

async function judge(
  client: pg.Client,
  committed: readonly string[],
  { taken, ids }: { taken: ReadonlySet<string>; ids: ReadonlyMap<string, ReadonlySet<string>> },
): Promise<string[]> {
  const { rows } = await client.query(
    "select connection_id as name, state, last_status as status, attempts from webhook_deliveries",
  );
  const logged = new Map(rows.map((row) => [String(row.name), row]));
  const wrong: string[] = [];
  for (const name of committed) {
    const log = logged.get(name);
    const isGone = name.startsWith("gone");
    if (!isGone && !taken.has(name)) wrong.push(`${name} was never received`);
    if (log?.state !== (isGone ? "failed" : "delivered")) wrong.push(`${name} is ${log?.state}`);
    if (isGone && log?.status !== 410) wrong.push(`${name} ended with ${log?.status}`);
    if (log?.attempts > 8) wrong.push(`${name} was tried ${log?.attempts} times`);
    if ((ids.get(name)?.size ?? 0) > 1) wrong.push(`${name} came under several ids`);
  }
  const all = [...ids.values()].flatMap((each) => [...each]);
  if (new Set(all).size !== all.length) wrong.push("one id stands for two events");
  return wrong;
}
