import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/**
 * A server on loopback that adds headers to each request, for programs that send none of their own. `prefix` stands
 * before the names of tools at the target.
 */
export async function startHeaderProxy(
  target: string,
  headers: Readonly<Record<string, string>>,
  prefix = "",
): Promise<{ url: string } & AsyncDisposable> {
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const sent = await buffer(incoming);
    const body = prefix === "" ? sent : withPrefix(sent, prefix);
    const url = new URL(incoming.url ?? "/", target);
    const forwarded = request(
      url,
      {
        method: incoming.method,
        headers: {
          ...renamed(incoming.headers, sent, prefix),
          ...headers,
          ...(body.length === 0 ? {} : { "content-length": body.length }),
        },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
      },
    );
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    forwarded.end(body);
  };
  const server = createServer((incoming, outgoing) => void forward(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It listens on a port, not on a socket file.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function nameOf(body: Buffer): string | undefined {
  const { method, params } = body.length === 0 ? {} : JSON.parse(body.toString());
  return method === "tools/call" ? params?.name : undefined;
}

function withPrefix(body: Buffer, prefix: string): Buffer {
  const name = nameOf(body);
  if (name === undefined) return body;
  const call = JSON.parse(body.toString());
  return Buffer.from(
    JSON.stringify({ ...call, params: { ...call.params, name: `${prefix}${name}` } }),
  );
}

/** A name that is not that of the call stays. */
function renamed(headers: IncomingHttpHeaders, body: Buffer, prefix: string): IncomingHttpHeaders {
  const { "mcp-name": name, ...others } = headers;
  if (typeof name !== "string") return headers;
  const isPrefixed = prefix !== "" && name === nameOf(body);
  return { ...others, "mcp-name": isPrefixed ? `${prefix}${name}` : name };
}
