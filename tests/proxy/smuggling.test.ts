import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, type TestContext, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import type { PlatformProcess } from "../launcher/platform-process.ts";
import { requireTool } from "../require-tool.ts";
import { addConnection, addIntegration, key, startPlatform, startUpstream } from "./proxied-api.ts";
import { startNginx } from "./start-nginx.ts";

const cleanUp = new AsyncDisposableStack();
let platform: PlatformProcess;
let arrived: string[] = [];
let arrivedBehind: string[] = [];

beforeAll(async () => {
  const upstreamUrl = await startUpstream(cleanUp, (request, response) => {
    // A refused request may arrive after its refusal, so each way has a list of its own.
    const list = request.headers["x-front"] === undefined ? arrived : arrivedBehind;
    list.push(`${request.method} ${request.url}`);
    request.resume().on("end", () => response.end("ok"));
  });
  const database = cleanUp.use(await createServerDatabase());
  const env = { SVC_DATABASE_URL: database.connectionString, SVC_ROLES: "api" };
  platform = await startPlatform(cleanUp, env);
  await addIntegration(platform, upstreamUrl);
  await addConnection(platform, "one");
});
afterAll(async () => await cleanUp.disposeAsync());
beforeEach(() => {
  arrived = [];
  arrivedBehind = [];
});

const own = `Host: x\r\nAuthorization: Bearer ${key}\r\nProvider-Config-Key: api\r\nConnection-Id: one`;
const hidden = `GET /proxy/smuggled HTTP/1.1\r\n${own}\r\n\r\n`;
const chunked = `5\r\nhello\r\n0\r\n\r\n`;

/** The head of a request with these framing lines. */
function head(lines: string, first = "POST /proxy/first HTTP/1.1"): string {
  return `${first}\r\n${own}\r\n${lines}\r\n\r\n`;
}

// In each of them the second request is part of the first for one reader and of its own for another.
const attacks: readonly (readonly [name: string, bytes: string])[] = [
  ["both lengths", `${head("Content-Length: 6\r\nTransfer-Encoding: chunked")}0\r\n\r\n${hidden}`],
  [
    "both lengths, the other first",
    `${head("Transfer-Encoding: chunked\r\nContent-Length: 4")}${chunked}${hidden}`,
  ],
  ["a coding that is none", `${head("Transfer-Encoding: xchunked")}${chunked}${hidden}`],
  [
    "a space before the colon",
    `${head("Transfer-Encoding : chunked\r\nContent-Length: 15")}${chunked}${hidden}`,
  ],
  [
    "a doubled coding",
    `${head("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity")}${chunked}${hidden}`,
  ],
  ["chunked not last", `${head("Transfer-Encoding: chunked, identity")}${chunked}${hidden}`],
  [
    "a coding with a vertical tab",
    `${head("Transfer-Encoding:\vchunked\r\nContent-Length: 15")}${chunked}${hidden}`,
  ],
  [
    "a coding in quotes",
    `${head('Transfer-Encoding: "chunked"\r\nContent-Length: 15')}${chunked}${hidden}`,
  ],
  [
    "a coding behind NUL",
    `${head("X: \0\r\nTransfer-Encoding: chunked\r\nContent-Length: 15")}${chunked}${hidden}`,
  ],
  [
    "a folded coding",
    `${head("Transfer-Encoding:\r\n chunked\r\nContent-Length: 15")}${chunked}${hidden}`,
  ],
  [
    "a line that starts with a space",
    `${head(" Transfer-Encoding: chunked\r\nContent-Length: 15")}${chunked}${hidden}`,
  ],
  [
    "a bare LF before the coding",
    `${head("X: y\nTransfer-Encoding: chunked\r\nContent-Length: 15")}${chunked}${hidden}`,
  ],
  [
    "a bare CR before the coding",
    `${head("X: y\rTransfer-Encoding: chunked\r\nContent-Length: 15")}${chunked}${hidden}`,
  ],
  ["two lengths", `${head("Content-Length: 5\r\nContent-Length: 0")}hello${hidden}`],
  ["a list of lengths", `${head("Content-Length: 5, 0")}hello${hidden}`],
  ["a signed length", `${head("Content-Length: +5")}hello${hidden}`],
  ["a hexadecimal length", `${head("Content-Length: 0x5")}hello${hidden}`],
  ["a length with a space in it", `${head("Content-Length: 5 0")}hello${hidden}`],
  ["a negative length", `${head("Content-Length: -5")}${hidden}`],
  ["a length past every number", `${head("Content-Length: 18446744073709551621")}hello${hidden}`],
  ["an empty length", `${head("Content-Length:")}${hidden}`],
  [
    "a chunk size past every number",
    `${head("Transfer-Encoding: chunked")}10000000000000005\r\nhello\r\n0\r\n\r\n${hidden}`,
  ],
  [
    "a chunk size with a sign",
    `${head("Transfer-Encoding: chunked")}+5\r\nhello\r\n0\r\n\r\n${hidden}`,
  ],
  [
    "a chunk size with a prefix",
    `${head("Transfer-Encoding: chunked")}0x5\r\nhello\r\n0\r\n\r\n${hidden}`,
  ],
  [
    "a chunk that is longer than it says",
    `${head("Transfer-Encoding: chunked")}3\r\nhello\r\n0\r\n\r\n${hidden}`,
  ],
  [
    "a chunk extension with a bare LF",
    `${head("Transfer-Encoding: chunked")}5;x\nhello\r\n0\r\n\r\n${hidden}`,
  ],
  ["a name with a space", `${head("Content Length: 5\r\nContent-Length: 0")}${hidden}`],
  [
    "a version that is none",
    `${head("Content-Length: 0", "POST /proxy/first HTTP/1.1x")}${hidden}`,
  ],
  [
    "an older version with a coding",
    `${head("Transfer-Encoding: chunked", "POST /proxy/first HTTP/1.0")}${chunked}${hidden}`,
  ],
  [
    "a request line with two spaces and a tab",
    `${head("Content-Length: 0", "POST  /proxy/first\tHTTP/1.1")}${hidden}`,
  ],
];

/** Statuses of what is answered until the connection is closed, or is silent. */
async function sendRaw({ port }: { readonly port: number }, bytes: string): Promise<string[]> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    // Some attacks leave a request open: silence is their answer, and a busy machine answers late.
    socket.setTimeout(2_000, resolve);
    socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
    socket.on("close", () => resolve());
    socket.on("error", () => resolve());
    socket.write(Buffer.from(bytes, "latin1"));
  });
  socket.destroy();
  const text = Buffer.concat(chunks).toString("latin1");
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = ""]) => status);
}

/** Sends each attack; answers what was answered to it. */
async function attack(address: {
  readonly port: number;
}): Promise<{ name: string; statuses: string[] }[]> {
  return await Promise.all(
    attacks.map(async ([name, bytes]) => ({ name, statuses: await sendRaw(address, bytes) })),
  );
}

function isBad(status: string): boolean {
  return status.startsWith("5") && status !== "501" && status !== "505";
}

test("no request hides in another", async () => {
  const port = Number(new URL(platform.url).port);

  const answers = await attack({ port });

  expect(answers.filter(({ statuses }) => statuses.length > 1 || statuses.some(isBad))).toEqual([]);
  expect(arrived.filter((line) => line !== "POST /first")).toEqual([]);
});

async function startInFront(context: TestContext) {
  return await startNginx({
    command: requireTool("nginx", context),
    upstreamUrls: [platform.url],
    lines: [
      "proxy_set_header Host $http_host;",
      "proxy_set_header X-Front nginx;",
      "proxy_buffering off;",
    ],
  });
}

test("nginx in front and the server read the same requests", async (context) => {
  await using nginx = await startInFront(context);

  const answers = await attack(nginx);

  // What nginx itself takes for a second request is one: it is answered as such.
  const passed = answers.flatMap(({ statuses }) => statuses.filter((status) => status === "200"));
  expect(answers.filter(({ statuses }) => statuses.some(isBad))).toEqual([]);
  expect(arrivedBehind).toHaveLength(passed.length);
});

test("requests that follow each other are all answered, in their order, with and without nginx", async (context) => {
  const port = Number(new URL(platform.url).port);
  const both = `${head("Content-Length: 5")}hello${head("Transfer-Encoding: chunked")}${chunked}`;
  const direct = await sendRaw({ port }, both);
  await using nginx = await startInFront(context);

  const behind = await sendRaw(nginx, both);

  expect([direct, behind]).toEqual([
    ["200", "200"],
    ["200", "200"],
  ]);
  expect([arrived, arrivedBehind]).toEqual([
    ["POST /first", "POST /first"],
    ["POST /first", "POST /first"],
  ]);
});
