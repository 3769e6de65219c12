import { createServer } from "node:http";
import { createEmptyDatabase } from "../../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../../launcher/platform-process.ts";

/** Writes of the script. */
export const WRITES = 20;

/** Where the server is killed: before the write's request, when it has arrived, or when it has been answered. */
export type Moment = "before" | "arrived" | "answered";

export interface KillPoint {
  readonly write: number;
  readonly moment: Moment;
}

/** A script that looks before it does again what may have been done. */
const code = `for (let n = 0; n < ${WRITES}; n += 1) {
  try { await tools.crm.addNote({ n }); }
  catch (error) {
    if (error.code !== "outcome_unknown") throw error;
    if (!(await tools.crm.listNotes({ after: n })).includes(n)) await tools.crm.addNote({ n });
  }
}
return "finished";`;

const any =
  "const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };";
const models_json_schema = { definitions: { In: { type: "object" } } };

function newFlow(syncName: string, body: string, effect: string): object {
  const js = `${any} module.exports.default = { type: "action", input: any, output: any, exec: async (svc, input) => { ${body} } };`;
  const agent = { effect, openWorld: false, untrustedOutput: false };
  const flow = { type: "action", syncName, providerConfigKey: "crm", models: [], runs: null };
  return { ...flow, input: "In", models_json_schema, fileBody: { js, ts: "" }, agent };
}

const flowConfigs = [
  newFlow(
    "add-note",
    `await svc.get({ endpoint: "/before/" + input.n }); await svc.post({ endpoint: "/notes", data: input });
     await svc.get({ endpoint: "/answered/" + input.n }); return input.n;`,
    "write",
  ),
  newFlow("list-notes", 'return (await svc.get({ endpoint: "/notes" })).data;', "read"),
];

/** What a provider has got, and what became of the script. */
export interface Survived {
  /** In their order. */
  readonly notes: readonly number[];
  readonly value: unknown;
  readonly kills: number;
}

/** Runs the script on a server that is killed at each of these points and started again. */
export async function runThroughKills(points: readonly KillPoint[]): Promise<Survived> {
  await using stack = new AsyncDisposableStack();
  const notes: number[] = [];
  const left = [...points];
  let kills = 0;
  let platform: PlatformProcess | undefined;
  const reach = async (moment: Moment, write: number): Promise<void> => {
    const at = left.findIndex((point) => point.moment === moment && point.write === write);
    if (at === -1) return;
    left.splice(at, 1);
    kills += 1;
    await platform?.kill();
  };
  const provider = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    const answer = async () => {
      const [, moment, write] = /^\/(before|answered)\/(\d+)$/.exec(request.url ?? "") ?? [];
      if (moment === "before" || moment === "answered") await reach(moment, Number(write));
      if (request.method === "POST") {
        const { n } = JSON.parse(body);
        notes.push(n);
        await reach("arrived", n);
      }
      response.setHeader("content-type", "application/json").end(JSON.stringify(notes));
    };
    request.on("end", () => void answer());
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  stack.defer(() => {
    provider.closeAllConnections();
    provider.close();
  });
  const database = stack.use(await createEmptyDatabase());
  const folder = stack.use(await makeDataFolder());
  const start = async () =>
    await startPlatformProcess({
      dataDir: folder.path,
      env: { SVC_DATABASE_URL: database.connectionString, SVC_LOG_LEVEL: "silent" },
    });
  let current = await start();
  stack.defer(async () => void (await current.stop()));
  platform = current;
  const key = current.keys.get("dev") ?? "";
  const send = async (path: string, method: string, body: object, token = key) => {
    const response = await fetch(`${current.url}${path}`, {
      method,
      headers: {
        ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  };
  const base_url = `http://127.0.0.1:${Object(provider.address()).port}`;
  const integration = { provider: "private-api-bearer", unique_key: "crm" };
  await send("/integrations", "POST", { ...integration, integration_config: { base_url } });
  await send("/connections", "POST", {
    ...{ provider_config_key: "crm", connection_id: "acme", tags: { end_user_id: "ada" } },
    credentials: { type: "API_KEY", apiKey: "k" },
  });
  await send("/sync/deploy", "POST", { flowConfigs, reconcile: false });
  const settings = { tools: [{ integration: "crm" }], policy: { preset: "trusted" } };
  await send("/agent/toolsets/helper", "PUT", { ...settings, mode: "code" });
  const asked = { toolset: "helper", end_user_id: "ada" };
  const { token } = JSON.parse(await send("/agent/sessions", "POST", asked)).data;
  const run = async (): Promise<string> => {
    const params = { name: "run_code", arguments: { code } };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    return await send("/mcp/helper", "POST", message, token);
  };
  for (let tries = 0; tries <= points.length; tries += 1) {
    const seen = kills;
    // The connection breaks with the server: the client does not even know of a handle, and asks again.
    const text = await run().catch(() => undefined);
    if (text !== undefined && kills === seen) {
      const [, json = text] = /^data: (\{.*"result".*)$/m.exec(text) ?? [];
      const [content] = JSON.parse(json).result.content;
      return { notes, value: JSON.parse(content.text).value ?? content.text, kills };
    }
    current = await start();
    platform = current;
  }
  return { notes, value: undefined, kills };
}
