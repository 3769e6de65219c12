import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { canEnter, type DatabaseOwner, giveTo } from "../cluster/database-owner.ts";

/** Port number in the name of the socket file; nothing listens on it. */
export const SOCKET_PORT = 5432;
const SOCKET_NAME = `.s.PGSQL.${SOCKET_PORT}`;
// sun_path holds 103 bytes and a NUL on macOS, 107 on Linux.
const SOCKET_PATH_LIMIT = 103;
const TEMPORARY_PREFIX = "jackfield-postgres-";

/** Where a server listens: a folder that holds its Unix socket, or a port on 127.0.0.1. */
export type ServerAddress = { kind: "socket"; folder: string } | { kind: "tcp"; port: number };

/** The addresses to try in turn: own folder, short temporary folder, loopback ports. */
export async function* proposeAddresses(
  home: string,
  owner: DatabaseOwner | undefined,
): AsyncGenerator<ServerAddress> {
  if (process.platform !== "win32") {
    const folder = join(home, "postgres-socket");
    if (fitsSocket(folder)) yield prepareSocketFolder(folder, owner);

    const temporary = tmpdir();
    if (fitsSocket(join(temporary, `${TEMPORARY_PREFIX}XXXXXX`)) && canEnter(owner, temporary)) {
      yield prepareSocketFolder(mkdtempSync(join(temporary, TEMPORARY_PREFIX)), owner);
    }
  }
  for (let attempt = 0; attempt < 3; attempt++) yield { kind: "tcp", port: await findFreePort() };
}

/** The server options for an address. */
export function toServerOptions(address: ServerAddress): string[] {
  return address.kind === "socket"
    ? [
        ...["-p", String(SOCKET_PORT), "-c", "listen_addresses="],
        ...["-c", `unix_socket_directories=${quoteListItem(address.folder)}`],
        ...["-c", "unix_socket_permissions=0700"],
      ]
    : [
        ...["-p", String(address.port), "-c", "listen_addresses=127.0.0.1"],
        ...["-c", "unix_socket_directories="],
      ];
}

/** The connection string of the superuser; a valid URL also for a socket. */
export function toConnectionString(address: ServerAddress, password: string): string {
  const user = `postgres:${encodeURIComponent(password)}`;
  return address.kind === "socket"
    ? `postgres://${user}@localhost:${SOCKET_PORT}/postgres?host=${encodeURIComponent(address.folder)}`
    : `postgres://${user}@127.0.0.1:${address.port}/postgres`;
}

/** Whether anything accepts connections at the address, asked for at most a second. */
export function isListening(address: ServerAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket =
      address.kind === "socket"
        ? createConnection({ path: join(address.folder, SOCKET_NAME) })
        : createConnection({ host: "127.0.0.1", port: address.port });
    const answer = (listening: boolean): void => {
      socket.destroy();
      resolve(listening);
    };
    socket.setTimeout(1000, () => answer(false));
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}

/** Removes what a server that no longer runs left at its address. */
export function removeSocket(address: ServerAddress | undefined): void {
  if (address?.kind !== "socket" || !existsSync(address.folder)) return;
  // Only our own names: the path was read from a file that a user may have edited.
  for (const name of readdirSync(address.folder)) {
    if (name.startsWith(SOCKET_NAME)) rmSync(join(address.folder, name), { force: true });
  }
  if (basename(address.folder).startsWith(TEMPORARY_PREFIX)) {
    if (readdirSync(address.folder).length === 0) rmSync(address.folder, { recursive: true });
  }
}

/** A port of 127.0.0.1 that was free a moment ago. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === "string") reject(new Error("no port"));
        else resolve(address.port);
      });
    });
  });
}

function fitsSocket(folder: string): boolean {
  return Buffer.byteLength(join(folder, SOCKET_NAME)) <= SOCKET_PATH_LIMIT;
}

function prepareSocketFolder(folder: string, owner: DatabaseOwner | undefined): ServerAddress {
  mkdirSync(folder, { recursive: true });
  giveTo(owner, folder);
  chmodSync(folder, 0o700);
  return { kind: "socket", folder };
}

// The option is a list: an item with a comma or blanks must stand in double quotes.
function quoteListItem(folder: string): string {
  return `"${folder.replaceAll('"', '""')}"`;
}
