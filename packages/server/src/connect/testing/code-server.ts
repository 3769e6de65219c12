import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** The token endpoint of an authorization server whose users always agree; it insists on PKCE. */
export interface CodeServer extends AsyncDisposable {
  readonly origin: string;
  /** Codes that were exchanged, valid or not. */
  readonly exchanges: readonly string[];
  /** Lets the user of this authorization request agree; answers the code. */
  approve(location: string): string;
  /** Answers exchanges with this error instead. */
  failWith(error: { status: number; body: object } | undefined): void;
  /** Holds the next answers back until the returned function is called; resolves once an exchange has come. */
  hold(): { readonly arrived: Promise<void>; readonly release: () => void };
}

export async function startCodeServer(): Promise<CodeServer> {
  const grants = new Map<string, { challenge: string; redirectUri: string }>();
  const exchanges: string[] = [];
  let failure: { status: number; body: object } | undefined;
  let gate: Promise<void> = Promise.resolve();
  let announce: () => void = () => {};

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const code = form.get("code") ?? "";
    exchanges.push(code);
    const grant = grants.get(code);
    grants.delete(code);
    const verifier = form.get("code_verifier") ?? "";
    const isProven =
      grant?.challenge === createHash("sha256").update(verifier).digest("base64url") &&
      grant.redirectUri === form.get("redirect_uri");
    const answer =
      failure ??
      (isProven
        ? { status: 200, body: tokensFor(code) }
        : { status: 400, body: { error: "invalid_grant" } });
    announce();
    await gate;
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(JSON.stringify(answer.body));
  }

  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    exchanges,
    approve(location) {
      const { searchParams } = new URL(location);
      const code = `code-${grants.size}-${searchParams.get("state")?.slice(0, 8)}`;
      grants.set(code, {
        challenge: searchParams.get("code_challenge") ?? "",
        redirectUri: searchParams.get("redirect_uri") ?? "",
      });
      return code;
    },
    failWith(error) {
      failure = error;
    },
    hold() {
      const held = Promise.withResolvers<void>();
      const arrived = Promise.withResolvers<void>();
      gate = held.promise;
      announce = arrived.resolve;
      return { arrived: arrived.promise, release: held.resolve };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function tokensFor(code: string): object {
  return {
    access_token: `access of ${code}`,
    refresh_token: `refresh of ${code}`,
    token_type: "bearer",
    expires_in: 3600,
  };
}
