import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** What the server was sent, exactly. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  readonly body: string;
  /** Only for those who decide on the answer. */
  readonly headers?: IncomingMessage["headers"];
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Ends the connection instead. */
  readonly reset?: boolean;
}

/** A server on loopback that gives the answer set last and keeps what it received. */
export interface TokenServer extends AsyncDisposable {
  readonly url: string;
  readonly received: ReceivedRequest[];
  answer: Answer;
  /** Decides instead of `answer`. */
  respond: ((request: ReceivedRequest) => Answer) | undefined;
}

export async function startTokenServer(): Promise<TokenServer> {
  const received: ReceivedRequest[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { authorization, accept, "content-type": contentType } = request.headers;
    const body = (await buffer(request)).toString("utf8");
    const { method, url } = request;
    const seen = { method, url, authorization, accept, contentType, body };
    received.push(seen);
    const decided = state.respond?.({ ...seen, headers: request.headers }) ?? state.answer;
    const { status = 200, headers = {}, body: answered = "", reset } = decided;
    if (reset === true) request.socket.destroy();
    else response.writeHead(status, headers).end(answered);
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = asTcpAddress(server.address());
  const state: TokenServer = {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: {},
    respond: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return state;
}

// A server that listens on a port of TCP has such an address.
function asTcpAddress(address: unknown): AddressInfo {
  return address as AddressInfo;
}
