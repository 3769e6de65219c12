import { connect, createServer, type Socket } from "node:net";

/** The way to a database, which can become silent: connections stay open and nothing arrives. */
export interface DatabaseRelay extends AsyncDisposable {
  readonly url: string;
  silence(): void;
  /** Ends the connections that were silent; new ones go through. */
  restore(): void;
}

export async function startDatabaseRelay(databaseUrl: string): Promise<DatabaseRelay> {
  const url = new URL(databaseUrl);
  const folder = url.searchParams.get("host");
  const { port, hostname: host } = url;
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer((caller) => {
    const database = folder?.startsWith("/")
      ? connect({ path: `${folder}/.s.PGSQL.${port}` })
      : connect({ host, port: Number(port) });
    pass(caller, database);
    pass(database, caller);
  });
  function pass(from: Socket, to: Socket): void {
    sockets.add(from);
    from.on("data", (chunk) => {
      if (!isSilent) to.write(chunk);
    });
    from.on("error", () => to.destroy());
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url.searchParams.delete("host");
  url.hostname = "127.0.0.1";
  url.port = String(typeof address === "object" ? address?.port : 0);
  return {
    url: String(url),
    silence: () => {
      isSilent = true;
    },
    restore: () => {
      isSilent = false;
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
