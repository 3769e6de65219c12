import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** A token endpoint that rotates: each refresh token works once, and using one again revokes all. */
export interface RotatingServer extends AsyncDisposable {
  readonly tokenUrl: string;
  /** Refresh grants received. */
  readonly requests: readonly string[];
  /** Most requests that were in flight at one time. */
  readonly mostAtOnce: number;
  /** Number of the newest pair of tokens. */
  readonly generation: number;
  /** Answers the next requests with this instead. */
  answerWith(answer: Answer | undefined): void;
  /** Clients that show another secret are refused; undefined: each is taken. */
  clientSecret: string | undefined;
  /** Holds answers back until the returned function is called; resolves once a request has come. */
  hold(): { readonly arrived: Promise<void>; readonly release: () => void };
}

export interface Answer {
  /** 0: the connection is cut instead. */
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const firstTokens = { access_token: "access-0", refresh_token: "refresh-0" };

export async function startRotatingServer({
  expiresIn,
}: {
  expiresIn: number;
}): Promise<RotatingServer> {
  const requests: string[] = [];
  let generation = 0;
  let isRevoked = false;
  let inFlight = 0;
  let mostAtOnce = 0;
  let override: Answer | undefined;
  let gate: Promise<void> = Promise.resolve();
  let announce: () => void = () => {};

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    inFlight += 1;
    mostAtOnce = Math.max(mostAtOnce, inFlight);
    const form = new URLSearchParams(await text(request));
    const given = form.get("refresh_token") ?? "";
    requests.push(given);
    const isRefused =
      state.clientSecret !== undefined && form.get("client_secret") !== state.clientSecret;
    const refusal: Answer = { status: 401, body: { error: "invalid_client" } };
    const answer = override ?? (isRefused ? refusal : rotate(given));
    announce();
    await gate;
    inFlight -= 1;
    if (answer.status === 0) {
      response.destroy();
      return;
    }
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
  }

  function rotate(given: string): Answer {
    if (isRevoked || given !== `refresh-${generation}`) {
      isRevoked = true;
      return { status: 400, body: { error: "invalid_grant" } };
    }
    generation += 1;
    return {
      status: 200,
      body: {
        access_token: `access-${generation}`,
        refresh_token: `refresh-${generation}`,
        token_type: "bearer",
        expires_in: expiresIn,
      },
    };
  }

  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const state: RotatingServer = {
    clientSecret: undefined,
    tokenUrl: `http://127.0.0.1:${port}/token`,
    requests,
    get mostAtOnce() {
      return mostAtOnce;
    },
    get generation() {
      return generation;
    },
    answerWith(answer) {
      override = answer;
    },
    hold() {
      const held = Promise.withResolvers<void>();
      const arrival = Promise.withResolvers<void>();
      gate = held.promise;
      announce = arrival.resolve;
      return { arrived: arrival.promise, release: held.resolve };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return state;
}
