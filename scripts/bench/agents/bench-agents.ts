import { randomUUID } from "node:crypto";
import { Pool } from "undici";
import { makeDataFolder } from "../../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../../tests/launcher/platform-process.ts";
import { deployBenchProject } from "../bench-project.ts";
import type { BenchRow } from "../meters/row.ts";

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
    await call("PUT", "/agent/toolsets/bench", {
      ...{ mode: "direct", tools: [{ integration: "bench" }] },
      policy: { preset: "trusted" },
      budget: { calls: 1_000_000, writes: 1_000_000 },
    });
    const { data } = (await call("POST", "/agent/sessions", {
      ...{ toolset: "bench", end_user_id: "u1" },
    })) as { data: { token: string } };
    const ways = waysOf({ key, token: data.token });
    const times = new Map(ways.map(({ name }): [string, number[]] => [name, []]));
    for (let n = 0; n < WARM_UP + CALLS; n += 1) {
      // In turns, so that what disturbs one disturbs all.
      for (const way of n % 2 === 0 ? ways : ways.toReversed()) {
        const tookMs = await time(pool, way);
        if (n >= WARM_UP) times.get(way.name)?.push(tookMs);
      }
    }
    return rowsOf(ways, times);
  } finally {
    await pool.close();
    await platform.stop();
  }
}

const accept = "application/json, text/event-stream";
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function waysOf({ key, token }: { key: string; token: string }): Way[] {
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
    {
      ...{ name: "MCP of a session", path: "/mcp/bench", bodyOf },
      headers: { ...headers, authorization: `Bearer ${token}` },
    },
  ];
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
  const at = (name: string, share: number) => {
    const sorted = (times.get(name) ?? []).toSorted((a, b) => a - b);
    return sorted[Math.floor(share * sorted.length)] ?? Number.NaN;
  };
  const note = `${CALLS} calls of each in turns, 1 caller`;
  const shares = [0.5, 0.95];
  const rows = ways.flatMap(({ name }) =>
    shares.map((share) => ({
      ...{ name: `${name}, p${share * 100}`, value: at(name, share), unit: "ms", note },
    })),
  );
  const added = (name: string, [of, over]: readonly [Way | undefined, Way | undefined]) =>
    shares.map((share) => ({
      ...{ name: `${name}, p${share * 100}`, unit: "ms" },
      value: at(of?.name ?? "", share) - at(over?.name ?? "", share),
    }));
  return [
    ...rows,
    ...added("MCP adds to the action", [modern, action]),
    ...added("policy, budget and audit add to MCP", [ways[3], modern]),
  ];
}
