import { once } from "node:events";
import { createServer } from "node:net";

interface Place {
  readonly host: string;
  readonly port: number;
  /** What says which port; SVC_PORT unless given. */
  readonly setting?: string;
}

/** Rejects when an address cannot be listened on, before anything is made that is shown only once. */
export async function requireFreePorts({
  host,
  port,
  dashboardPort,
}: Place & { readonly dashboardPort: number | undefined }): Promise<void> {
  await requireFreePort({ host, port });
  if (dashboardPort === undefined) return;
  await requireFreePort({ host, port: dashboardPort, setting: "SVC_DASHBOARD_PORT" });
}

async function requireFreePort(place: Place): Promise<void> {
  if (place.port === 0) return;
  const server = createServer((socket) => socket.destroy());
  server.listen(place);
  await once(server, "listening").catch((error: unknown) => {
    throw toListenFault(error, place);
  });
  server.close();
  await once(server, "close");
}

/** Why nothing can be served there, and which setting to change. */
export function toListenFault(
  error: unknown,
  { host, port, setting = "SVC_PORT" }: Place,
): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const text = reasons[String(code)]?.({ host, port, setting });
  return text === undefined ? error : new Error(text, { cause: error });
}

const reasons: Readonly<Record<string, (place: Required<Place>) => string>> = {
  EADDRINUSE: ({ host, port, setting }) =>
    `Port ${port} of ${host} is in use: stop the program that listens on it, or set ${setting} to another port${setting === "SVC_PORT" ? " (0 takes any free one)" : ""}.`,
  EACCES: ({ host, port, setting }) =>
    `This user may not listen on port ${port} of ${host}: set ${setting} to a port from 1024 on.`,
  EADDRNOTAVAIL: ({ host }) =>
    `${host} is not an address of this machine: set SVC_HOST to one that is, or to 0.0.0.0 for all.`,
  ENOTFOUND: ({ host }) =>
    `${host} is not a known name: set SVC_HOST to an address of this machine.`,
};
