import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { connectDatabase } from "./database-relay.ts";

/** What a client of Postgres sends before TLS: its length, and a number that no version has. */
const SSL_REQUEST_BYTES = 8;

/** A port of loopback that speaks TLS as Postgres does, and leads to a test database. */
export interface TlsRelay extends AsyncDisposable {
  readonly port: number;
  /** Bytes that clients sent within TLS; a client that refuses the certificate sends none. */
  readonly received: number;
}

export async function startTlsRelay(
  connectionString: string,
  certificate: Readonly<Record<"cert" | "key", string>>,
): Promise<TlsRelay> {
  const secureContext = createSecureContext(certificate);
  const sockets = new Set<Socket>();
  let received = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    socket.once("readable", () => {
      if (socket.read(SSL_REQUEST_BYTES) === null) return void socket.destroy();
      socket.write("S");
      const secure = new TLSSocket(socket, { isServer: true, secureContext });
      const inner = connectDatabase(connectionString);
      secure.on("data", (bytes: Buffer) => {
        received += bytes.byteLength;
      });
      secure.on("error", () => inner.destroy()).on("close", () => inner.destroy());
      inner.on("error", () => socket.destroy()).on("close", () => socket.destroy());
      secure.pipe(inner).pipe(secure);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server on a port of TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get received() {
      return received;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
