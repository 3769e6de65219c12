import { connect as connectTo, createServer, type NetConnectOpts, type Socket } from "node:net";

/** A TCP port that leads to a database, and can fall silent as a network does. */
export interface Line extends AsyncDisposable {
  readonly port: number;
  /** From now on nothing passes and nobody notices; new connections are accepted, as a kernel does. */
  stall(): void;
  /** Nothing passes over the connections that there are, and nobody notices; new ones are as ever. */
  stallPresent(): void;
  /** From now on nobody can connect, as while a server starts. */
  refuse(): void;
  resume(): void;
}

async function openLine(target: NetConnectOpts): Promise<Line> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isStalled = false;
  let isRefusing = false;
  const server = createServer((inner) => {
    if (isRefusing) {
      inner.resetAndDestroy();
      return;
    }
    const outer = connectTo(target);
    const pair = [inner, outer] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      inner.destroy();
      outer.destroy();
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    inner.on("data", (data) => outer.write(data));
    outer.on("data", (data) => inner.write(data));
    if (isStalled) for (const socket of pair) socket.pause();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    stall() {
      isStalled = true;
      for (const socket of [...pairs].flat()) socket.pause();
    },
    stallPresent() {
      for (const socket of [...pairs].flat()) socket.pause();
    },
    refuse() {
      isRefusing = true;
      for (const socket of [...pairs].flat()) socket.destroy();
    },
    resume() {
      isStalled = false;
      isRefusing = false;
      for (const socket of [...pairs].flat()) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of [...pairs].flat()) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** A line to a database by its address, and the address by way of the line; the embedded server has a socket file. */
export async function openLineTo(connectionString: string): Promise<{ line: Line; url: string }> {
  const url = new URL(connectionString);
  const folder = url.searchParams.get("host");
  const port = Number(url.port);
  const line = await openLine(
    folder === null ? { host: url.hostname, port } : { path: `${folder}/.s.PGSQL.${port}` },
  );
  url.search = "";
  url.host = `127.0.0.1:${line.port}`;
  return { line, url: url.href };
}
