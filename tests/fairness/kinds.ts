import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { DISTINCT, newSource } from "./functions.ts";
import { connect, type Neighbour, type Neighbours } from "./neighbours.ts";

/** One way to take what others need, and what the other environment wants meanwhile. */
export interface Kind {
  readonly name: string;
  /** Continues until `signal` is aborted; refusals are what is hoped for. */
  flood(all: Neighbours, signal: AbortSignal): Promise<void>;
  /** Milliseconds until what the other environment asks for begins, or is answered where that is as soon. */
  probe(all: Neighbours, nth: number): Promise<number | Work>;
  /** It takes seconds by itself. */
  readonly isSlow?: true;
}

/** Milliseconds until work of its own begins and ends. */
export interface Work {
  readonly beganMs: number;
  readonly doneMs: number;
}

const WITHIN_MS = 60_000;
const caller = (connection: string, integration = "api") => ({
  "provider-config-key": integration,
  "connection-id": connection,
});

export const kinds: readonly Kind[] = [
  {
    name: "actions that loop",
    flood: async (all, signal) =>
      await floodActions(all.greedy, signal, { name: "loop", callers: 30 }),
    probe: async (all) => await probeAction(all),
  },
  {
    name: "actions that wait",
    flood: async (all, signal) =>
      await floodActions(all.greedy, signal, { name: "sleep", callers: 100 }),
    probe: async (all) => await probeAction(all),
  },
  {
    name: "asynchronous actions",
    flood: async ({ greedy }, signal) =>
      await crowd(10, signal, async (nth) => {
        const headers = { ...caller("c-0"), "x-async": "true" };
        const body = { action_name: `sleep-${nth}` };
        await greedy.send("POST", "/action/trigger", { headers, body, signal });
        await sleep(500, undefined, { signal });
      }),
    probe: async (all, nth) => {
      const headers = { ...caller(`c-${nth % 20}`), "x-async": "true" };
      return await probeAction(all, headers);
    },
  },
  {
    name: "syncs",
    flood: async ({ greedy }, signal) => {
      const ids = Array.from({ length: 40 }, (_, nth) => `sync-${nth}-${randomUUID()}`);
      for (const id of ids) await connect(greedy, "api", id);
      await aborted(signal);
      for (const id of ids) {
        await greedy.call("DELETE", `/connections/${id}?provider_config_key=api`);
      }
    },
    probe: async ({ marks, other }, nth) => {
      const id = `c-${nth % 20}`;
      const arrival = marks.arrivalOf(id, WITHIN_MS);
      const askedAt = performance.now();
      const body = { provider_config_key: "api", connection_id: id, syncs: ["rows"] };
      await Promise.all([other.call("POST", "/sync/trigger", { body }), arrival]);
      return (await arrival) - askedAt;
    },
  },
  {
    name: "functions after a creation",
    flood: async ({ greedy }, signal) =>
      await crowd(4, signal, async () => {
        await connect(greedy, "events", randomUUID());
        await sleep(200, undefined, { signal });
      }),
    probe: async ({ marks, other }) => {
      const id = randomUUID();
      const arrival = marks.arrivalOf(id, WITHIN_MS);
      const askedAt = performance.now();
      await Promise.all([connect(other, "events", id), arrival]);
      return (await arrival) - askedAt;
    },
  },
  {
    name: "inbound webhooks",
    flood: async ({ greedy }, signal) =>
      await crowd(16, signal, async () => {
        const body = { type: "x", connectionId: "c-0" };
        await greedy.send("POST", `/webhook/${greedy.id}/api`, { body, signal });
      }),
    probe: async ({ marks, other }, nth) => {
      const mark = randomUUID();
      const arrival = marks.arrivalOf(mark, WITHIN_MS);
      const askedAt = performance.now();
      const body = { type: "x", connectionId: `c-${nth % 20}`, mark };
      await Promise.all([other.call("POST", `/webhook/${other.id}/api`, { body }), arrival]);
      return (await arrival) - askedAt;
    },
  },
  {
    name: "log lines",
    flood: async ({ greedy }, signal) =>
      await crowd(4, signal, async () => {
        const body = { action_name: "chatty" };
        await greedy.send("POST", "/action/trigger", { headers: caller("c-0"), body, signal });
      }),
    probe: async (all) => await probeAction(all),
  },
  {
    name: "proxy calls to a slow provider",
    flood: async ({ greedy, marks }, signal) => {
      await crowd(150, signal, async (nth) => {
        const headers = caller(`c-${nth % 60}`, "calls");
        const { status } = await greedy.send("GET", "/proxy/slow", { headers, signal });
        if (status === 429) await sleep(1000, undefined, { signal });
      });
      marks.release();
    },
    probe: async ({ other }, nth) => {
      const askedAt = performance.now();
      await other.call("GET", "/proxy/x", { headers: caller(`c-${nth % 20}`, "calls") });
      return performance.now() - askedAt;
    },
  },
  {
    name: "connect attempts",
    flood: async ({ greedy }, signal) =>
      await crowd(
        16,
        signal,
        async () => await tryToConnect(greedy, signal).catch(() => undefined),
      ),
    probe: async ({ other }) => {
      const askedAt = performance.now();
      await tryToConnect(other);
      return performance.now() - askedAt;
    },
  },
  {
    name: "compilations",
    isSlow: true,
    flood: async ({ greedy, marks }, signal) =>
      await crowd(12, signal, async () => {
        const body = { code: newSource(marks.url, randomUUID(), 0) };
        const { status } = await greedy.send("POST", "/functions/compile", { body, signal });
        if (status === 503) await sleep(1000, undefined, { signal });
      }),
    probe: async ({ marks, other }) => {
      const askedAt = performance.now();
      const body = { code: newSource(marks.url, randomUUID(), 0) };
      const answer = compiled.parse(await other.call("POST", "/functions/compile", { body }));
      const doneMs = performance.now() - askedAt;
      return { beganMs: Math.max(0, doneMs - answer.duration_ms), doneMs };
    },
  },
  {
    name: "dry runs",
    isSlow: true,
    flood: async ({ greedy, marks }, signal) =>
      await crowd(4, signal, async () => {
        await dryRun(greedy, newSource(marks.url, "none", 10_000));
        await sleep(500, undefined, { signal });
      }),
    probe: async ({ marks, other }) => {
      const name = randomUUID();
      const arrival = marks.arrivalOf(name, WITHIN_MS);
      const askedAt = performance.now();
      const askedOn = Date.now();
      const [id] = await Promise.all([dryRun(other, newSource(marks.url, name, 0)), arrival]);
      const doneMs = (await arrival) - askedAt;
      const job = begun.parse(await other.call("GET", `/functions/dryruns/${id}`));
      return { beganMs: Math.max(0, Date.parse(job.started_at) - askedOn), doneMs };
    },
  },
  {
    name: "outbound webhooks to slow receivers",
    flood: async ({ greedy, marks }, signal) => {
      await crowd(8, signal, async () => {
        const more = { webhook_url_override: `${marks.url}/slow/${randomUUID()}` };
        await connect(greedy, "calls", randomUUID(), more);
      });
      marks.release();
    },
    probe: async ({ marks, other }) => {
      const id = randomUUID();
      const arrival = marks.arrivalOf(id, WITHIN_MS);
      const askedAt = performance.now();
      await Promise.all([connect(other, "calls", id), arrival]);
      return (await arrival) - askedAt;
    },
  },
  {
    name: "long lists",
    flood: async ({ greedy }, signal) =>
      await crowd(60, signal, async () => {
        await greedy.send("GET", "/connections?limit=1000", { signal });
      }),
    probe: async ({ other }) => {
      const askedAt = performance.now();
      await other.call("GET", "/connections?limit=10");
      return performance.now() - askedAt;
    },
  },
];

/** So many at once do the same again and again until the signal. */
async function crowd(
  size: number,
  signal: AbortSignal,
  turn: (nth: number) => Promise<void>,
): Promise<void> {
  const go = async (nth: number) => {
    while (!signal.aborted) {
      await turn(nth).catch(async (error: unknown) => {
        if (!signal.aborted) await sleep(100);
        return error;
      });
    }
  };
  await Promise.all(Array.from({ length: size }, (_, nth) => go(nth)));
}

async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}

async function floodActions(
  greedy: Neighbour,
  signal: AbortSignal,
  { name, callers }: { name: string; callers: number },
): Promise<void> {
  await crowd(callers, signal, async (nth) => {
    const body = { action_name: `${name}-${nth % DISTINCT}` };
    await greedy.send("POST", "/action/trigger", { headers: caller("c-0"), body, signal });
  });
}

async function probeAction(
  { marks, other }: Neighbours,
  headers: Readonly<Record<string, string>> = caller("c-0"),
): Promise<number> {
  const mark = randomUUID();
  const arrival = marks.arrivalOf(mark, WITHIN_MS);
  const askedAt = performance.now();
  const body = { action_name: "mark", input: mark };
  await Promise.all([other.call("POST", "/action/trigger", { headers, body }), arrival]);
  return (await arrival) - askedAt;
}

const session = z.object({ data: z.object({ token: z.string() }) });

async function tryToConnect(neighbour: Neighbour, signal?: AbortSignal): Promise<void> {
  const call = signal === undefined ? {} : { signal };
  const opened = await neighbour.call("POST", "/connect/sessions", {
    body: { end_user: { id: "u" }, allowed_integrations: ["calls"] },
    ...call,
  });
  const { token } = session.parse(opened).data;
  const path = `/api-auth/api-key/calls?connect_session_token=${token}`;
  const response = await fetch(`${neighbour.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiKey: "secret" }),
    ...call,
  });
  if (!response.ok) throw new Error(`connecting: ${response.status} ${await response.text()}`);
}

const compiled = z.object({ duration_ms: z.number() });
const begun = z.object({ started_at: z.string() });
const newJob = z.object({ id: z.string() });

/** Resolves to the id of its job. */
async function dryRun({ call }: Neighbour, code: string): Promise<string> {
  const body = { integration_id: "api", connection_id: "c-0", function_type: "action", code };
  return newJob.parse(await call("POST", "/functions/dryruns", { body })).id;
}
