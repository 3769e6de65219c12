import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** An authorization server and API that repeat everything they receive in their answers, errors too. */
export interface LeakyProvider extends AsyncDisposable {
  readonly origin: string;
  /** What came to the token endpoint and to the authorization page, by parameter. */
  readonly seen: ReadonlyMap<string, string>;
  /** Webhooks that came to `/hooks`, as received. */
  readonly webhooks: readonly string[];
  /** From now on tokens are refused. */
  refuse(): void;
}

export interface IssuedSecrets {
  readonly code: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly idToken: string;
}

export async function startLeakyProvider(issued: IssuedSecrets): Promise<LeakyProvider> {
  const seen = new Map<string, string>();
  const webhooks: string[] = [];
  let isRefusing = false;
  const tokens = {
    access_token: issued.accessToken,
    refresh_token: issued.refreshToken,
    id_token: issued.idToken,
    token_type: "Bearer",
    expires_in: 3600,
  };

  const server = createServer((request, response) => {
    readText(request).then(
      (body) => respond(request, response, body),
      () => response.destroy(),
    );
  });
  const respond = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const url = new URL(request.url ?? "/", "http://provider");
    const answer = (status: number, value: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    switch (url.pathname) {
      case "/authorize": {
        for (const [name, value] of url.searchParams) seen.set(`authorize ${name}`, value);
        const back = new URL(url.searchParams.get("redirect_uri") ?? "");
        back.searchParams.set("code", issued.code);
        back.searchParams.set("state", url.searchParams.get("state") ?? "");
        response.writeHead(302, { location: back.href }).end();
        return;
      }
      case "/token": {
        for (const [name, value] of new URLSearchParams(body)) seen.set(`token ${name}`, value);
        const reported = `you sent ${body} with ${request.headers.authorization}`;
        if (isRefusing) answer(400, { error: "invalid_grant", error_description: reported });
        else answer(200, tokens);
        return;
      }
      case "/hooks":
        webhooks.push(`${JSON.stringify(request.headers)}\n${body}`);
        answer(200, {});
        return;
      default:
        answer(500, { url: request.url, headers: request.headers, body });
    }
  };
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    seen,
    webhooks,
    refuse: () => {
      isRefusing = true;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
