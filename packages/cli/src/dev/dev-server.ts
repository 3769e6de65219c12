import { randomBytes, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname } from "node:path";
import { json } from "node:stream/consumers";
import { pageFolder, pageHeaders } from "@jackfield/server/dev-page";
import * as z from "zod";
import { callPlatform, type Platform } from "../deploy/call-platform.ts";
import { messageOf, UserError } from "../user-error.ts";
import type { DevSession } from "./dev-session.ts";

export interface DevServer extends AsyncDisposable {
  /** With the token that the page's calls carry, in its fragment: no request sends that along by itself. */
  readonly url: string;
}

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
const MOST_BYTES = 2 * 1024 * 1024;
const choiceShape = z.object({
  file: z.string(),
  connection: z.string().optional(),
  kind: z.literal("webhook").optional(),
  input: z.unknown().optional(),
});
const connectionList = z.looseObject({
  connections: z.array(z.looseObject({ connection_id: z.string() })),
});

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

/** Serves the page of a session on loopback. Its calls need the token, so no other page and no other user makes them. */
export async function startDevServer(
  session: DevSession,
  platform: Platform,
  port = 0,
): Promise<DevServer> {
  const token = randomBytes(32).toString("base64url");
  const closing = new AbortController();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else
        sendJson(response, error instanceof UserError ? 400 : 500, { message: messageOf(error) });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  }).catch((cause: unknown) => {
    throw new UserError(`Port ${port} cannot be listened on; choose another with --port.`, {
      cause,
    });
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  const hosts = [`127.0.0.1:${bound}`, `localhost:${bound}`];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A name that leads here from a page elsewhere (DNS rebinding) is none of these.
    if (!hosts.includes(request.headers.host ?? "")) {
      sendJson(response, 421, { message: "Open the address that `jackfield dev` shows." });
      return;
    }
    const url = new URL(request.url ?? "/", "http://localhost");
    const isFile = request.method === "GET" && /^\/($|assets\/)/.test(url.pathname);
    if (isFile) await sendFile(url.pathname, response);
    else if (!isToken(request.headers.authorization, token)) {
      sendJson(response, 401, { message: "Open the address that `jackfield dev` shows." });
    } else {
      await answerCall({ request, response, url }, { session, platform, signal: closing.signal });
    }
  }

  return {
    url: `http://127.0.0.1:${bound}/#${token}`,
    async [Symbol.asyncDispose]() {
      closing.abort();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function isToken(header: string | undefined, token: string): boolean {
  const given = Buffer.from(header ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function answerCall(
  { request, response, url }: Exchange,
  {
    session,
    platform,
    signal,
  }: { readonly session: DevSession; readonly platform: Platform; readonly signal: AbortSignal },
): Promise<void> {
  const [, name, id, action] = url.pathname.split("/");
  const call = [request.method, name, id === undefined ? undefined : "id", action]
    .filter((part) => part !== undefined)
    .join(" ");
  switch (call) {
    case "GET state":
      streamState(session, response, signal);
      return;
    case "GET runs id": {
      const run = session.findRun(id ?? "");
      sendJson(
        response,
        run === undefined ? 404 : 200,
        run ?? { message: "It is no longer here." },
      );
      return;
    }
    case "GET connections": {
      const integration = url.searchParams.get("integration") ?? "";
      sendJson(response, 200, await listConnections(platform, integration));
      return;
    }
    case "POST choice": {
      const choice = choiceShape.parse(await readBody(request));
      // The page sees by the stream how the run goes.
      void session.choose(choice).catch(() => undefined);
      sendJson(response, 202, {});
      return;
    }
    case "POST stop":
      session.stop();
      sendJson(response, 202, {});
      return;
    case "POST runs id recording":
      sendJson(response, 200, { file: await session.saveRun(id ?? "") });
      return;
    default:
      sendJson(response, 404, { message: "There is nothing at this address." });
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  if (Number(request.headers["content-length"] ?? Number.POSITIVE_INFINITY) > MOST_BYTES) {
    throw new UserError("The input is larger than 2 MB; pass it with --input @file.json.");
  }
  return await json(request);
}

/** A line of JSON for each change; a page that reads slowly gets the newest. */
function streamState(session: DevSession, response: ServerResponse, signal: AbortSignal): void {
  response.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
  let isDue = false;
  const send = (): void => {
    if (response.writableNeedDrain) {
      isDue = true;
      return;
    }
    isDue = false;
    response.write(`${JSON.stringify(session.state)}\n`);
  };
  response.on("drain", () => {
    if (isDue) send();
  });
  const unsubscribe = session.subscribe(send);
  const end = (): void => {
    unsubscribe();
    response.end();
  };
  response.on("close", end);
  signal.addEventListener("abort", end, { once: true });
  send();
}

async function listConnections(platform: Platform, integrationId: string): Promise<string[]> {
  const { connections } = await callPlatform(platform, {
    method: "GET",
    path: "/connections",
    query: { integrationId, limit: "100" },
    answer: connectionList,
  });
  return connections.map(({ connection_id: id }) => id);
}

async function sendFile(path: string, response: ServerResponse): Promise<void> {
  if (path === "/") {
    const html = await readFile(new URL("dev/index.html", pageFolder), "utf8");
    // Built one folder below the files that it names.
    response.writeHead(200, pageHeaders).end(html.replaceAll('"../', '"./'));
    return;
  }
  const type = types[extname(path)];
  const isPlain = /^\/assets\/[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$/.test(path);
  const file = isPlain && type !== undefined ? new URL(`.${path}`, pageFolder) : undefined;
  const bytes = file === undefined ? undefined : await readFile(file).catch(() => undefined);
  if (bytes === undefined || type === undefined) {
    sendJson(response, 404, { message: "There is no such file." });
    return;
  }
  response
    .writeHead(200, {
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
    })
    .end(bytes);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
    .end(JSON.stringify(body));
}
