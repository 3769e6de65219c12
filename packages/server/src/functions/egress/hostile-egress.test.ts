import { createSocket, type Socket } from "node:dgram";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type LookupFunction } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { actions, triggerAction } from "#actions";
import { connections, createConnection } from "#connections";
import { deployFunctions, functions } from "#functions";
import { newAction, newBundle, newUpload } from "#functions/testing";
import { createIntegration, integrations } from "#integrations";
import { proxy } from "#proxy";
import { type TestApp, testApp } from "#testing";
import { type EgressAttempt, listAttempts } from "./testing/attempts.ts";

// A function that tries to send to a host which its egress does not name: not a byte may arrive there.

const FOREIGN = "foreign.example";

let app: TestApp;
let provider: Server;
let port = 0;
let foreignPort = 0;
let udp: Socket;
/** Bytes that came to the foreign host over TCP or UDP. */
let arrivedBytes = 0;
/** Names that the server's resolver was asked for. */
let resolved: string[] = [];
/** Host headers that the function's own provider got. */
let hosts: (string | undefined)[] = [];

const lookup: LookupFunction = (hostname, options, callback) => {
  resolved.push(hostname);
  if (options.all === true) callback(null, [{ address: "127.0.0.1", family: 4 }]);
  else callback(null, "127.0.0.1", 4);
};

const foreign = createTcpServer((socket) => {
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    arrivedBytes += chunk.length;
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
  });
});

function portOf(address: ReturnType<Server["address"]>): number {
  // It listens on a port, not on a socket file.
  return (address as AddressInfo).port;
}

beforeAll(async () => {
  await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  foreignPort = portOf(foreign.address());
  udp = createSocket("udp4").on("message", (message) => {
    arrivedBytes += message.byteLength;
  });
  await new Promise<void>((resolve) => udp.bind(foreignPort, "127.0.0.1", resolve));
  provider = createServer((request, response) => {
    hosts.push(request.headers.host);
    const to = `http://${FOREIGN}:${foreignPort}/landed`;
    const status = /^\/to\/(\d+)/.exec(request.url ?? "")?.[1];
    const locations: Record<string, string> = {
      "/bare": `//${FOREIGN}:${foreignPort}/landed`,
      "/backslashes": `\\\\${FOREIGN}:${foreignPort}\\landed`,
      "/twice": "/to/307",
    };
    const location = status === undefined ? locations[request.url ?? ""] : to;
    if (location !== undefined) {
      response.writeHead(Number(status ?? 302), { location }).end();
      return;
    }
    if (request.url === "/linked") response.setHeader("link", `<${to}>; rel="next"`);
    if (request.url === "/alt") response.setHeader("alt-svc", `h2="${FOREIGN}:${foreignPort}"`);
    response.setHeader("content-type", "application/json").end('{"items":[1]}');
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  port = portOf(provider.address());
  app = await testApp({
    slices: [actions, connections, functions, integrations, proxy],
    runsFunctions: true,
    lookup,
  });
  await connect("crm", "c1", `http://api.own.example:${port}`);
  await connect("other", "o1", `http://${FOREIGN}:${foreignPort}`);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  provider.closeAllConnections();
  provider.close();
  foreign.close();
  udp.close();
});

beforeEach(() => {
  arrivedBytes = 0;
  resolved = [];
  hosts = [];
});

async function connect(uniqueKey: string, connectionId: string, baseUrl: string): Promise<void> {
  const integration = await createIntegration(app.ctx, {
    ...{ provider: "private-api-bearer", uniqueKey, displayName: undefined },
    ...{ forwardWebhooks: true, credentials: undefined, custom: {}, settings: {} },
    integrationConfig: { base_url: baseUrl },
  });
  await createConnection(app.ctx, {
    ...{ integration, connectionId, metadata: undefined, connectionConfig: undefined },
    ...{ tags: {}, webhookUrlOverride: undefined },
    credentials: { type: "API_KEY", apiKey: "k" },
  });
}

/** One function with all ways in it; it answers what stopped the one that it was asked for. */
function newTrying(ways: readonly EgressAttempt[]) {
  const bodies = ways.map(({ body }) => `async () => { ${body} }`);
  return newBundle(
    "action",
    `const ways = [${bodies.join(",\n")}];
     const late = new Promise((resolve) => setTimeout(() => resolve("too late"), 3000));
     try { return await Promise.race([ways[input.way]().then(() => "done"), late]); }
     catch (error) { return String(error?.cause?.type ?? error?.code ?? error?.message ?? error); }`,
  );
}

function newOpen() {
  const to = `http://${FOREIGN}:${foreignPort}/`;
  const send = `await fetch("${to}", { method: "POST", body: JSON.stringify(input) });`;
  return newBundle("action", `${send} return 1;`);
}

interface Tried {
  readonly ways: readonly EgressAttempt[];
  readonly results: ReadonlyMap<string, { readonly bytes: number; readonly said: string }>;
}

async function tryAll(egress: string[]): Promise<Tried> {
  const own = `http://api.own.example:${port}`;
  const ways = listAttempts({ own, foreign: FOREIGN, port: foreignPort });
  const trying = newAction("trying", { egress, fileBody: newTrying(ways) });
  const open = newAction("open", { egress: ["*"], fileBody: newOpen() });
  await deployFunctions(app.ctx, newUpload({ flowConfigs: [trying, open] }));
  const results = new Map<string, { bytes: number; said: string }>();
  for (const [way, { name }] of ways.entries()) {
    arrivedBytes = 0;
    const said = await triggerAction(app.ctx, {
      ...{ integrationKey: "crm", connectionId: "c1", actionName: "trying", input: { way } },
    }).then(
      (output) => Buffer.from(output).toString(),
      (error: unknown) => String(error),
    );
    results.set(name, { bytes: arrivedBytes, said });
  }
  return { ways, results };
}

test("by none of the ways does a byte arrive at a host that the egress does not name, nor is its name resolved", {
  timeout: 600_000,
}, async () => {
  const { ways, results } = await tryAll(["{integration}"]);

  const reached = [...results].filter(([, { bytes }]) => bytes > 0);
  expect(reached).toEqual([]);
  expect(resolved.filter((name) => name !== "api.own.example")).toEqual([]);
  // The foreign name never got to the own provider as the host of a call either.
  expect(new Set(hosts)).toEqual(new Set([`api.own.example:${port}`]));
  expect(ways.length).toBeGreaterThanOrEqual(80);
});

test("where every host is open, each of the ways that the process has arrives", {
  timeout: 600_000,
}, async () => {
  const { ways, results } = await tryAll(["*"]);

  const open = ways.filter(({ isClosed = false }) => !isClosed);
  const stopped = open.filter(({ name }) => (results.get(name)?.bytes ?? 0) === 0);
  expect(stopped.map(({ name }) => [name, results.get(name)])).toEqual([]);
  const closed = ways.filter(({ isClosed = false }) => isClosed);
  expect(closed.filter(({ name }) => (results.get(name)?.bytes ?? 0) > 0)).toEqual([]);
});
