import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

/** A port of loopback that leads to a test database, which may have a socket only; its connections can be cut. */
export interface DatabaseRelay extends AsyncDisposable {
  /** Of the database, by the port. */
  readonly url: string;
  /** Cuts all connections at once, as a process that is killed does; resolves to how many there were. */
  cut(): number;
}

/** A connection to a database, which may have a socket only. */
export function connectDatabase(connectionString: string): Socket {
  const database = new URL(connectionString);
  const folder = database.searchParams.get("host");
  const port = Number(database.port || 5432);
  return folder === null
    ? createConnection({ host: database.hostname, port })
    : createConnection(`${folder}/.s.PGSQL.${port}`);
}

export async function startDatabaseRelay(connectionString: string): Promise<DatabaseRelay> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const inner = connectDatabase(connectionString);
    sockets.add(socket);
    socket
      .on("error", () => {})
      .on("close", () => {
        sockets.delete(socket);
        inner.destroy();
      });
    inner.on("error", () => {}).on("close", () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(connectionString);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  url.search = "sslmode=disable";
  const cut = (): number => {
    const count = sockets.size;
    for (const socket of sockets) socket.destroy();
    return count;
  };
  return {
    url: url.href,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
