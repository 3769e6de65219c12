import { createServer } from "node:http";

/** A provider on loopback that remembers what it was asked. */
export interface Provider extends AsyncDisposable {
  readonly url: string;
  readonly asked: { path: string; authorization: string | undefined }[];
}

export async function startProvider(): Promise<Provider> {
  const asked: Provider["asked"] = [];
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? "", authorization: request.headers.authorization });
    response.setHeader("content-type", "application/json");
    if (request.url?.startsWith("/contacts") === true) {
      response.end(
        JSON.stringify([
          { id: "1", name: "Ada" },
          { id: "2", name: "Bob" },
        ]),
      );
      return;
    }
    response.statusCode = request.url === "/missing" ? 404 : 200;
    response.end(JSON.stringify({ path: request.url }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
