import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";

/** The provider that the functions of `jackfield init` call: contacts page by page. */
export interface FakeCrm extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  calls: number;
  busy: number;
}

const contacts = Array.from({ length: 5 }, (_, index) => ({
  id: String(index + 1),
  name: `Person ${index + 1}`,
  email: `person${index + 1}@example.com`,
  company: null,
  updated_at: "2026-01-01T00:00:00Z",
}));

export async function startFakeCrm(): Promise<FakeCrm> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const crm: FakeCrm = {
    url: `http://127.0.0.1:${address.port}`,
    token: "crm-token-83b1d0",
    calls: 0,
    busy: 0,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    crm.calls += 1;
    const { pathname, searchParams, port } = new URL(request.url ?? "/", crm.url);
    if (pathname === "/moved") {
      response.writeHead(307, { location: `http://localhost:${port}/landed` }).end();
      return;
    }
    if (pathname === "/landed") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ own: request.headers["x-own"] ?? null }));
      return;
    }
    if (pathname === "/busy") {
      crm.busy += 1;
      response.writeHead(crm.busy < 7 ? 400 : 200, { "x-backoff": "0", "x-left": "0" });
      response.end("{}");
      return;
    }
    const isAllowed = request.headers.authorization === `Bearer ${crm.token}`;
    const start = Number(searchParams.get("cursor") ?? 0);
    const body = !isAllowed
      ? { error: "who are you" }
      : request.method === "POST"
        ? { ...contacts[0], ...Object(await json(request)), id: "new" }
        : {
            contacts: contacts.slice(start, start + 2),
            next_cursor: start + 2 < contacts.length ? String(start + 2) : null,
          };
    const isTaken = JSON.stringify(body).includes("taken@example.com");
    response.writeHead(isAllowed ? (isTaken ? 409 : 200) : 401, {
      "content-type": "application/json",
    });
    response.end(JSON.stringify(body));
  }
  return crm;
}
