import { setTimeout as sleep } from "node:timers/promises";
import { vi } from "vitest";
import type { LoadResult } from "./load.ts";
import { type Outside, PROBE, type Site } from "./site.ts";

const LATE_MS = 120_000;

/** How long each queue took until it had done something new, from the call on. */
export async function timeQueues(
  site: Site,
  outside: Outside,
  webhookPath: string,
): Promise<Readonly<Record<"sync" | "action" | "webhook", number>>> {
  const startedAt = performance.now();
  const timed = async (work: Promise<void>) => {
    await work;
    return performance.now() - startedAt;
  };
  const [sync, action, webhook] = await Promise.all([
    timed(seeSync(site)),
    timed(seeAction(site)),
    timed(seeWebhook(site, outside, webhookPath)),
  ]);
  return { sync, action, webhook };
}

async function seeSync(site: Site): Promise<void> {
  const [before] = await site.query<{ at: Date }>("select clock_timestamp() as at");
  const syncs = { provider_config_key: "crm", syncs: ["rows"], connection_id: PROBE };
  await untilDone(async () => (await post(site, "/sync/trigger", syncs)).status === 200);
  await untilDone(async () => {
    const ended = await site.query(
      "select 1 from runs where state = 'success' and started_at > $1 limit 1",
      [before?.at],
    );
    return ended.length > 0;
  });
}

async function seeAction(site: Site): Promise<void> {
  let id = "";
  await untilDone(async () => {
    const headers = { "connection-id": PROBE, "provider-config-key": "crm", "x-async": "true" };
    const answer = await post(site, "/action/trigger", { action_name: "greet", input: 0 }, headers);
    if (answer.status === 202) id = String(Object(await answer.json()).id);
    return id !== "";
  });
  await untilDone(async () => {
    const text = "select 1 from async_actions where id = $1 and ended_at is not null";
    return (await site.query(text, [id])).length > 0;
  });
}

async function seeWebhook(site: Site, outside: Outside, path: string): Promise<void> {
  const id = crypto.randomUUID();
  await untilDone(async () => (await post(site, path, { id, type: "charge.succeeded" })).ok);
  await untilDone(async () => outside.forwarded.has(id));
}

async function post(
  site: Site,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return await fetch((site.urls[0] ?? "") + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${site.key}`,
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
}

async function untilDone(look: () => Promise<boolean>): Promise<void> {
  await vi.waitUntil(look, { timeout: LATE_MS, interval: 250 });
}

/** What was confirmed and is not there, in words; empty where nothing was lost. */
export async function findLost(
  site: Site,
  outside: Outside,
  { accepted }: LoadResult,
): Promise<string[]> {
  const lost: string[] = [];
  const known = await site.query<{ unique_key: string }>("select unique_key from integrations");
  const keys = new Set(known.map(({ unique_key }) => unique_key));
  const writes = accepted.integrations.filter((name) => !keys.has(name));
  if (writes.length > 0) lost.push(`${writes.length} writes`);
  await untilDone(async () => {
    const open = "select 1 from async_actions where ended_at is null limit 1";
    return (await site.query(open)).length === 0;
  }).catch(() => lost.push("actions have no outcome"));
  const rows = await site.query<{ id: string }>("select id from async_actions");
  const ids = new Set(rows.map(({ id }) => id));
  const actions = accepted.actions.filter((id) => !ids.has(id));
  if (actions.length > 0) lost.push(`${actions.length} actions`);
  const missing = () => accepted.events.filter((id) => !outside.forwarded.has(id));
  await untilDone(async () => missing().length === 0).catch(() =>
    lost.push(`${missing().length} webhooks`),
  );
  return lost;
}

/** Looks each second which job of the queue is locked longest; seconds. */
export function watchLocks(site: Site) {
  const stopping = new AbortController();
  let longest = 0;
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      const [row] = await site
        .query<{ seconds: number }>(
          `select coalesce(max(extract(epoch from clock_timestamp() - locked_at)), 0)::float as seconds
             from graphile_worker._private_jobs where locked_at is not null`,
        )
        .catch(() => []);
      longest = Math.max(longest, row?.seconds ?? 0);
      await sleep(1000);
    }
  })();
  return {
    async stop(): Promise<number> {
      stopping.abort();
      await looking;
      return longest;
    },
  };
}
