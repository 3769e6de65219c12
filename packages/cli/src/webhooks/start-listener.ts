import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { styleText } from "node:util";
import { UserError } from "../user-error.ts";
import { findFault } from "./signature.ts";

export interface Listener extends AsyncDisposable {
  readonly url: string;
}

/** Prints what is sent here: 200 for what one of the keys has signed, 401 for anything else. */
export async function startListener(port: number, keys: readonly string[]): Promise<Listener> {
  const server = createServer((request, response) => {
    take(request, response, keys).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  }).catch((cause: unknown) => {
    throw new UserError(`Port ${port} cannot be listened on; choose another with --port.`, {
      cause,
    });
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${bound}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function take(
  request: IncomingMessage,
  response: ServerResponse,
  keys: readonly string[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const fault = findFault({ headers: request.headers, body }, keys, new Date());
  const mark =
    fault === undefined
      ? styleText("green", "verified", { stream: process.stdout })
      : styleText("red", `refused: ${fault}`, { stream: process.stdout });
  console.log(`${new Date().toISOString()} ${mark} ${request.headers["webhook-id"] ?? ""}`);
  console.log(indent(body.toString("utf8")));
  response.writeHead(fault === undefined ? 200 : 401).end();
}

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
