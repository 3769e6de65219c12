import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What a revocation endpoint does with each request. */
export type Behaviour = "ok" | "500" | "hang" | "refuse" | "gone";

/** A provider's revocation endpoint (RFC 7009), which notes the tokens that it is sent. */
export interface RevocationServer extends AsyncDisposable {
  readonly url: string;
  /** In the order in which they came. */
  readonly tokens: readonly string[];
  behaviour: Behaviour;
}

export async function startRevocationServer(): Promise<RevocationServer> {
  const tokens: string[] = [];
  const state: { behaviour: Behaviour } = { behaviour: "ok" };
  const server = createServer((request, response) => {
    void text(request).then((form) => {
      tokens.push(new URLSearchParams(form).get("token") ?? "");
      answer(response, state.behaviour);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${asTcpAddress(server.address()).port}/revoke`,
    tokens,
    get behaviour() {
      return state.behaviour;
    },
    set behaviour(behaviour) {
      state.behaviour = behaviour;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(response: ServerResponse, behaviour: Behaviour): void {
  switch (behaviour) {
    case "ok":
      response.end();
      return;
    case "500":
      response.writeHead(500).end('{"error":"server_error","token":"echoed"}');
      return;
    case "refuse":
      response.writeHead(400, { "content-type": "application/json" });
      response.end('{"error":"unsupported_token_type"}');
      return;
    case "gone":
      response.writeHead(404).end();
      return;
    case "hang":
  }
}

// A server that listens on TCP has an address of this form.
function asTcpAddress(address: unknown): AddressInfo {
  return address as AddressInfo;
}
