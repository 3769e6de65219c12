import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The page of a customer's app at which everybody is signed in as one end user. */
export async function startVerifier(
  endUserId: string,
  answerAuthorization: (id: string, body: object) => Promise<{ data: { continue_url: string } }>,
): Promise<{ url: string } & AsyncDisposable> {
  const verify = async (request: IncomingMessage, response: ServerResponse) => {
    const id = new URL(request.url ?? "", "http://x").searchParams.get("authorization_id") ?? "";
    const { data } = await answerAuthorization(id, { end_user_id: endUserId, approved: true });
    response.writeHead(303, { location: data.continue_url }).end();
  };
  const server = createServer((request, response) => void verify(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}/verify`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A port on which nothing listens now. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function portOf(server: Server): number {
  // It listens on a port, not on a socket file.
  return (server.address() as AddressInfo).port;
}
