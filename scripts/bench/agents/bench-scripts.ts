import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "undici";
import type { deployBenchProject } from "../bench-project.ts";
import type { BenchRow } from "../meters/row.ts";

const WARM_UP = 5;
const SCRIPTS = 40;
/** As an agent thinks between two scripts: a process is ready again by then. */
const PAUSE_MS = 500;

type Call = Awaited<ReturnType<typeof deployBenchProject>>;

interface Listed {
  readonly data: readonly { readonly at: string; readonly parent_id: string | null }[];
}

/** From the moment at which a client sends a script until the script's first call begins. */
export async function benchScripts(pool: Pool, call: Call): Promise<BenchRow[]> {
  const policy = { preset: "trusted" };
  const tools = [{ integration: "bench" }];
  await call("PUT", "/agent/toolsets/scripts", { mode: "code", tools, policy });
  const asked = { toolset: "scripts", end_user_id: "u1" };
  const { data } = (await call("POST", "/agent/sessions", asked)) as {
    data: { id: string; token: string };
  };
  const times: number[] = [];
  for (let n = 0; n < WARM_UP + SCRIPTS; n += 1) {
    const sentAt = Date.now();
    const code = `return await tools.bench.ping({ text: "${n}" });`;
    const answer = await pool.request({
      ...{ method: "POST", path: "/mcp/scripts" },
      headers: {
        ...{ authorization: `Bearer ${data.token}`, "content-type": "application/json" },
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "run_code", arguments: { code } },
      }),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || text.includes("isError")) throw new Error(text);
    const path = `/agent/calls?session_id=${data.id}&limit=1`;
    const [made] = ((await call("GET", path)) as Listed).data;
    if (made === undefined || made.parent_id === null) throw new Error("the script called nothing");
    if (n >= WARM_UP) times.push(Date.parse(made.at) - sentAt);
    await sleep(PAUSE_MS);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const note = `${SCRIPTS} scripts, 1 caller, ${PAUSE_MS} ms between them`;
  return [0.5, 0.95].map((share) => ({
    ...{ name: `run_code until its first call, p${share * 100}`, unit: "ms", note },
    value: sorted[Math.floor(share * sorted.length)] ?? Number.NaN,
  }));
}
