import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface FakeModels extends AsyncDisposable {
  readonly url: string;
  /** Bodies of requests, by their order. */
  readonly asked: ReturnType<typeof JSON.parse>[];
}

type Answer = (asked: ReturnType<typeof JSON.parse>) => object;

/** The HTTP API of a company with language models, on loopback; the answer of each path is of its request. */
export async function startFakeModels(
  answers: Readonly<Record<string, Answer>>,
): Promise<FakeModels> {
  const asked: FakeModels["asked"] = [];
  const server = createServer((request, response) => {
    void readJson(request).then((body) => {
      asked.push(body);
      const answer = answers[request.url ?? ""];
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer?.(body) ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It listens on a port, not on a socket file.
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}`, asked },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readJson(request: IncomingMessage): Promise<ReturnType<typeof JSON.parse>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}
