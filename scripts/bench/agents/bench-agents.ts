import { randomUUID } from "node:crypto";
import { Pool } from "undici";
import { makeDataFolder } from "../../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../../tests/launcher/platform-process.ts";
import { deployBenchProject } from "../bench-project.ts";
import type { BenchRow } from "../meters/row.ts";
import { benchScripts } from "./bench-scripts.ts";

const WARM_UP = 100;
const CALLS = 500;

interface Way {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyOf: (text: string) => object;
}

/** What the protocol adds to an action over HTTP, and what a session adds to that, with one caller on a quiet server. */
export async function benchAgents(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_BOOTSTRAP_KEY: key },
  });
  const pool = new Pool(platform.url, { connections: 1 });
  try {
    const call = await deployBenchProject(platform.url, key);
    await call("PATCH", "/connections/bench?provider_config_key=bench", {
      tags: { end_user_id: "u1" },
    });
    const sessions = new Map<string, string>();
    for (const [toolset, settings] of Object.entries(toolsets)) {
      await call("PUT", `/agent/toolsets/${toolset}`, {
        ...{ mode: "direct", tools: [{ integration: "bench" }] },
        ...settings,
      });
      const { data } = (await call("POST", "/agent/sessions", {
        ...{ toolset, end_user_id: "u1" },
      })) as { data: { token: string } };
      sessions.set(toolset, data.token);
    }
    const ways = waysOf({ key, sessions });
    const times = new Map(ways.map(({ name }): [string, number[]] => [name, []]));
    for (let n = 0; n < WARM_UP + CALLS; n += 1) {
      // In turns, so that what disturbs one disturbs all.
      for (const way of n % 2 === 0 ? ways : ways.toReversed()) {
        const tookMs = await time(pool, way);
        if (n >= WARM_UP) times.get(way.name)?.push(tookMs);
      }
    }
    return [...rowsOf(ways, times), ...(await benchScripts(pool, call))];
  } finally {
    await pool.close();
    await platform.stop();
  }
}

/** A session alone writes each call down; the others decide about it, and count it, too. */
const toolsets = {
  plain: { policy: { preset: "trusted" } },
  ruled: {
    policy: {
      preset: "careful",
      rules: [
        { integration: "other", verdict: "deny" },
        { integration: "bench", effect: "write", verdict: "allow" },
      ],
    },
    budget: { calls: 1_000_000, writes: 1_000_000 },
  },
  daily: {
    policy: { preset: "trusted" },
    budget: { calls_per_day: 1_000_000, writes_per_day: 1_000_000 },
  },
};
const sessionNames: Readonly<Record<string, string>> = {
  plain: "MCP of a session, without rules and budget",
  ruled: "MCP of a session, with rules and budget",
  daily: "MCP of a session, with a budget of the day",
};

const accept = "application/json, text/event-stream";
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Credentials {
  readonly key: string;
  /** Tokens of sessions by their toolset. */
  readonly sessions: ReadonlyMap<string, string>;
}

function waysOf({ key, sessions }: Credentials): Way[] {
  const of = { "provider-config-key": "bench", "connection-id": "bench" };
  const rpc = (name: string, revision: "2025-11-25" | "2026-07-28") => ({
    headers: {
      ...{ accept, "mcp-protocol-version": revision },
      ...(revision === "2026-07-28" ? { "mcp-method": "tools/call", "mcp-name": name } : {}),
    },
    bodyOf: (text: string) => ({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: {
        ...{ name, arguments: { text } },
        ...(revision === "2026-07-28" ? { _meta: envelope } : {}),
      },
    }),
  });
  const overKey = (revision: "2025-11-25" | "2026-07-28"): Way => {
    const { headers, bodyOf } = rpc("ping", revision);
    const authorization = `Bearer ${key}`;
    return {
      ...{ name: `MCP ${revision}`, path: "/mcp", bodyOf },
      headers: { ...headers, ...of, authorization },
    };
  };
  const { headers, bodyOf } = rpc("bench__ping", "2026-07-28");
  return [
    {
      ...{ name: "the action over HTTP", path: "/action/trigger" },
      headers: { ...of, authorization: `Bearer ${key}` },
      bodyOf: (text) => ({ action_name: "ping", input: { text } }),
    },
    overKey("2025-11-25"),
    overKey("2026-07-28"),
    { ...asPing, path: "/mcp", name: "MCP, a ping", headers: withPing({ ...of, bearer: key }) },
    {
      ...{ ...asPing, path: "/mcp/plain", name: "MCP of a session, a ping" },
      headers: withPing({ bearer: sessions.get("plain") ?? "" }),
    },
    ...[...sessions].map(([toolset, token]) => ({
      ...{ name: sessionNames[toolset] ?? toolset, path: `/mcp/${toolset}`, bodyOf },
      headers: { ...headers, authorization: `Bearer ${token}` },
    })),
  ];
}

/** What a call costs before it is one: its answer has no more than the id. */
const asPing = { bodyOf: (id: string) => ({ jsonrpc: "2.0", id, method: "ping" }) };

function withPing({ bearer, ...more }: Record<string, string>): Record<string, string> {
  const authorization = `Bearer ${bearer}`;
  return { ...more, accept, authorization, "mcp-protocol-version": "2025-11-25" };
}

async function time(pool: Pool, { path, headers, bodyOf }: Way): Promise<number> {
  const text = randomUUID();
  const body = JSON.stringify(bodyOf(text));
  const startedAt = performance.now();
  const answer = await pool.request({
    ...{ method: "POST", path, body },
    headers: { ...headers, "content-type": "application/json" },
  });
  const got = await answer.body.text();
  const tookMs = performance.now() - startedAt;
  if (answer.statusCode !== 200 || !got.includes(text)) throw new Error(`${path}: ${got}`);
  return tookMs;
}

function rowsOf(ways: readonly Way[], times: ReadonlyMap<string, number[]>): BenchRow[] {
  const [action, , modern] = ways;
  const at = (name: string, share: number) => shareOf(times.get(name) ?? [], share);
  const note = `${CALLS} calls of each in turns, 1 caller`;
  const shares = [0.5, 0.95];
  const rows = ways.flatMap(({ name }) =>
    shares.map((share) => ({
      ...{ name: `${name}, p${share * 100}`, value: at(name, share), unit: "ms", note },
    })),
  );
  // Call by call: what slows the machine down for a while slows all of them down.
  const added = (
    name: string,
    more: readonly (Way | undefined)[],
    less: readonly (Way | undefined)[],
  ) => {
    const sumOf = (summed: readonly (Way | undefined)[], n: number) =>
      summed.reduce((sum, way) => sum + (times.get(way?.name ?? "")?.[n] ?? Number.NaN), 0);
    const differences = Array.from({ length: CALLS }, (_, n) => sumOf(more, n) - sumOf(less, n));
    return { name: `${name}, p50`, unit: "ms", value: shareOf(differences, 0.5) };
  };
  const [keyPing, sessionPing, plain, ruled, daily] = ways.slice(3);
  return [
    ...rows,
    added("MCP adds to the action", [modern], [action]),
    added("a session adds to MCP", [plain], [modern]),
    added("of that, to prove the session", [sessionPing], [keyPing]),
    added("of that, accounts and audit", [plain, keyPing], [modern, sessionPing]),
    added("policy and budget add to a session", [ruled], [plain]),
    added("a budget of the day adds to a session", [daily], [plain]),
    added("accounts, policy, budget and audit of a call", [ruled, keyPing], [modern, sessionPing]),
  ];
}

function shareOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * sorted.length)] ?? Number.NaN;
}
