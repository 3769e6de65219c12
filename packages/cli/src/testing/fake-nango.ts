import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";

/** The other side's API, as far as a move reads it, and deletes and imports connections there. */
export interface FakeNango extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  /** Method and path of each call, in order. */
  readonly calls: string[];
  /** Requests that are refused first, as the rate limit does. */
  busy: number;
}

interface Content {
  readonly integrations: readonly {
    readonly unique_key: string;
    readonly credentials?: object;
    readonly [field: string]: unknown;
  }[];
  readonly connections: readonly {
    readonly connection_id: string;
    readonly provider_config_key: string;
    readonly credentials?: object;
    readonly [field: string]: unknown;
  }[];
}

export async function startFakeNango(content: Content): Promise<FakeNango> {
  const { integrations } = content;
  let connections = content.connections;
  const calls: string[] = [];
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const nango: FakeNango = {
    url: `http://127.0.0.1:${address.port}`,
    key: "nango-key-51f0",
    calls,
    busy: 0,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
  return nango;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", nango.url);
    calls.push(`${request.method} ${pathname}`);
    const send = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const refuse = (status: number, code: string) =>
      send(status, { error: { code, message: code } });
    if (request.headers.authorization !== `Bearer ${nango.key}`)
      return void refuse(401, "unknown_key");
    if (nango.busy > 0) {
      nango.busy -= 1;
      return void refuse(429, "too_many_request");
    }
    const [, collection = "", name] = pathname.split("/").map(decodeURIComponent);
    const open = ({ credentials: _credentials, ...rest }: { credentials?: object }) => rest;
    if (collection === "integrations" && name === undefined) {
      return void send(200, { data: integrations.map(open) });
    }
    if (collection === "integrations") {
      const found = integrations.find(({ unique_key: key }) => key === name);
      if (found === undefined) return void refuse(404, "not_found");
      const data = searchParams.getAll("include").includes("credentials") ? found : open(found);
      return void send(200, { data });
    }
    if (request.method === "POST") {
      const added = asConnection(await json(request));
      connections = [...connections, added];
      return void send(201, added);
    }
    if (name === undefined && searchParams.has("connectionId")) {
      const id = searchParams.get("connectionId");
      const listed = connections.filter(({ connection_id: each }) => each === id);
      return void send(200, { connections: listed.map(open) });
    }
    if (name === undefined) {
      const limit = Number(searchParams.get("limit") ?? 2000);
      const start = Number(searchParams.get("page") ?? 0) * limit;
      return void send(200, { connections: connections.slice(start, start + limit).map(open) });
    }
    const key = searchParams.get("provider_config_key");
    const found = connections.find(
      (one) => one.connection_id === name && one.provider_config_key === key,
    );
    if (found === undefined) return void refuse(404, "not_found");
    if (request.method === "DELETE") {
      connections = connections.filter((one) => one !== found);
      return void send(200, { success: true });
    }
    if (found.credentials === undefined) return void refuse(424, "invalid_credentials");
    send(200, found);
  }
}

// What the server under test imports.
function asConnection(body: unknown): Content["connections"][number] {
  return body as Content["connections"][number];
}
