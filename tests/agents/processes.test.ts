import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { type DataFolder, makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";

// Agents that call by three processes at once, over one database.

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let folder: DataFolder;
let processes: PlatformProcess[];
let key = "";

beforeAll(async () => {
  database = await createEmptyDatabase();
  folder = await makeDataFolder();
  const start = async () =>
    await startPlatformProcess({
      dataDir: folder.path,
      env: { SVC_DATABASE_URL: database.connectionString, SVC_LOG_LEVEL: "silent" },
    });
  const first = await start();
  key = first.keys.get("dev") ?? "";
  processes = [first, ...(await Promise.all([start(), start()]))];
  const integration_config = { base_url: "https://api.example.com" };
  const integration = { provider: "private-api-bearer", unique_key: "crm", integration_config };
  await api("POST", "/integrations", integration);
  await api("POST", "/connections", {
    ...{ provider_config_key: "crm", connection_id: "acme", tags: { end_user_id: "ada" } },
    credentials: { type: "API_KEY", apiKey: "k" },
  });
  await deploy("echo");
  const policy = { preset: "trusted" };
  await api("PUT", "/agent/toolsets/helper", { tools: [{ integration: "crm" }], policy });
});
afterAll(async () => {
  await Promise.all(processes.map(async (each) => await each.stop()));
  await folder[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

type Answer = ReturnType<typeof JSON.parse>;

async function api(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${processes[0]?.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300);
  return text === "" ? undefined : JSON.parse(text);
}

const deployed: object[] = [];

async function deploy(name: string): Promise<void> {
  const any =
    "const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };";
  const js = `${any} module.exports.default = { type: "action", input: any, output: any, exec: async (svc, input) => input };`;
  const flow = { type: "action", syncName: name, providerConfigKey: "crm", models: [], runs: null };
  deployed.push({ ...flow, input: "In", models_json_schema, fileBody: { js, ts: "" } });
  await api("POST", "/sync/deploy", { flowConfigs: deployed, reconcile: false });
}

const models_json_schema = { definitions: { In: { type: "object" } } };

async function begin(budget: object = {}): Promise<Answer> {
  const body = { toolset: "helper", end_user_id: "ada", budget };
  return (await api("POST", "/agent/sessions", body)).data;
}

async function speak(
  { url }: PlatformProcess,
  { token }: Answer,
  [method, params]: readonly [method: string, params: object],
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/mcp/helper`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return { status: response.status, text: await response.text() };
}

/** Answers that were lost on a busy machine: whether their calls have begun, their callers cannot know. */
let lost = 0;

/** Calls again where the server is busy, as an agent does. */
async function speakUntilServed(...said: Parameters<typeof speak>): ReturnType<typeof speak> {
  const answer = await speak(...said);
  const isLost = answer.text.includes("The database cannot be reached");
  const isBusy = answer.text.includes("no connection to its database became free");
  if (answer.status !== 503 && !isBusy && !isLost) return answer;
  if (answer.status === 503) expect(answer.text).toContain("overloaded");
  if (isLost) lost += 1;
  await setTimeout(1000);
  return await speakUntilServed(...said);
}

const echo = (n: number) => ["tools/call", { name: "crm__echo", arguments: { n } }] as const;

test("of 300 calls at once in three processes, 50 run on a budget of 50", async () => {
  const session = await begin({ calls: 50 });

  const answers = await Promise.all(
    processes.flatMap((each, place) =>
      Array.from(
        { length: 100 },
        async (_, n) => await speakUntilServed(each, session, echo(place * 100 + n)),
      ),
    ),
  );
  const { data } = await api("GET", `/agent/sessions/${session.id}`);
  const { data: calls } = await api("GET", `/agent/calls?session_id=${session.id}&limit=200`);

  const over = answers.filter(({ text }) => text.includes("budget_exhausted"));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  const others = answers.filter(({ text }) => !/budget_exhausted|"text":"\{\\"n\\":/.test(text));
  expect(others).toEqual([]);
  expect(over.length).toBeGreaterThanOrEqual(250);
  expect(over.length - lost).toBeLessThanOrEqual(250);
  expect(data.used).toMatchObject({ calls: 50, writes: 50 });
  expect(calls).toHaveLength(200);
});

test("no process begins a call once the session is ended", async () => {
  const session = await begin();
  let isEnded = false;
  const startedAfter: string[] = [];
  let answered = 0;
  const callOn = async (process: PlatformProcess, first: number) => {
    for (let n = first; ; n += 1) {
      const wasEnded = isEnded;
      const { status, text } = await speak(process, session, echo(n));
      if (status === 401 || text.includes("session_ended")) return;
      answered += 1;
      if (wasEnded) startedAfter.push(text);
    }
  };

  const callers = processes.flatMap((process, place) =>
    Array.from({ length: 4 }, async (_, n) => await callOn(process, place * 1e6 + n * 1e5)),
  );
  await expect.poll(() => answered, { timeout: 20_000 }).toBeGreaterThan(30);
  await api("DELETE", `/agent/sessions/${session.id}`);
  isEnded = true;
  await Promise.all(callers);

  expect(startedAfter).toEqual([]);
});

test("a tool that is deployed by one process is a tool in all", async () => {
  const session = await begin();
  const list = async () =>
    await Promise.all(
      processes.map(async (each) => (await speak(each, session, ["tools/list", {}])).text),
    );
  expect((await list()).every((text) => text.includes("crm__echo"))).toBe(true);

  await deploy("later");

  await expect
    .poll(async () => (await list()).every((text) => text.includes("crm__later")))
    .toBe(true);
});
