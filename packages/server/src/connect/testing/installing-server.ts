import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** A provider from whose pages an app is installed: it gives tokens for an installation's code. */
export interface InstallingServer extends AsyncDisposable {
  readonly origin: string;
  /** Path and fields of each token request. */
  readonly received: readonly (readonly [path: string, fields: Record<string, string>])[];
}

export async function startInstallingServer({ expiresAt }: { expiresAt: () => Date }) {
  const received: [path: string, fields: Record<string, string>][] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const fields = JSON.parse(await text(request));
    received.push([request.url ?? "", fields]);
    const answer = {
      token: `token for ${fields.code ?? fields.refresh_token}`,
      refreshToken: `refresh-${received.length}`,
      expiresAt: expiresAt().toISOString(),
    };
    response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(answer));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    origin: `http://127.0.0.1:${port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  } satisfies InstallingServer;
}
