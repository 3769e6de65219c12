import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";

/** A customer's server that fails often, and knows what it has taken. */
export interface MoodyReceiver extends AsyncDisposable {
  readonly url: string;
  /** Connection ids whose webhook was answered 2xx. */
  readonly taken: ReadonlySet<string>;
  /** Ids (`webhook-id`) by connection id. */
  readonly ids: ReadonlyMap<string, ReadonlySet<string>>;
  readonly requests: number;
  /** Requests whose signature does not verify. */
  readonly forged: number;
}

// Past this many requests for one event it is taken, so that every event can be.
const PATIENCE = 5;

/** Of first requests 30 % get 500, 10 % no answer, 10 % a reset; an event whose name starts with `gone` always 410. */
export async function startMoodyReceiver(signingKey: string): Promise<MoodyReceiver> {
  const verifier = new Webhook(signingKey);
  const taken = new Set<string>();
  const ids = new Map<string, Set<string>>();
  const tries = new Map<string, number>();
  let requests = 0;
  let forged = 0;

  function answer(connection: string, request: IncomingMessage, response: ServerResponse): void {
    const count = (tries.get(connection) ?? 0) + 1;
    tries.set(connection, count);
    if (connection.startsWith("gone")) return void response.writeHead(410).end();
    const mood = count >= PATIENCE ? 1 : Math.random();
    if (mood < 0.3) return void response.writeHead(500).end("not today");
    // Silent once only: more would make the wait long, not the trial harder.
    if (mood < 0.4 && count === 1) return;
    if (mood < 0.5) return void request.socket.resetAndDestroy();
    taken.add(connection);
    response.writeHead(204).end();
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests += 1;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    let connection: string;
    try {
      const body = Object(verifier.verify(Buffer.concat(chunks), headers));
      connection = String(body.connectionId);
    } catch {
      forged += 1;
      response.writeHead(401).end();
      return;
    }
    ids.set(connection, (ids.get(connection) ?? new Set()).add(headers["webhook-id"] ?? ""));
    answer(connection, request, response);
  }

  // A sender that is killed while it sends is no fault of the receiver.
  const server = createServer((request, response) => void take(request, response).catch(() => {}));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${Object(server.address()).port}/hooks`,
    taken,
    ids,
    get requests() {
      return requests;
    },
    get forged() {
      return forged;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
