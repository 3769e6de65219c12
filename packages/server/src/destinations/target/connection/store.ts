import { type ConnectionOptions, createSecureContext } from "node:tls";
import pg from "pg";
import { type EnvironmentContext, SECOND } from "#foundation";
import type { ConnectionTarget } from "../connection-url.ts";
import { DeliveryError } from "../delivery-error.ts";

const CONNECT_MS = 10 * SECOND;
/** Above the server's own time-out for statements: then it does not answer. */
const ANSWER_MS = 40 * SECOND;
const END_MS = 2 * SECOND;
/** Our statements are answered with little. A server that sends more is none, and is not read further. */
const MOST_BYTES = 8 * 1024 * 1024;
const LOOK_MS = 50;

/** A connection to a customer's database. */
export interface TargetConnection extends AsyncDisposable {
  readonly client: pg.Client;
  /** Throws when the connection was lost, or the server sends what no Postgres sends. */
  requireAlive(): void;
}

/**
 * Connects by the egress: the address is checked after it was resolved, and is the one connected to. Nothing of this
 * process (PG* variables, password files, certificates on disk) goes into the connection.
 */
export async function connectTarget(
  ctx: EnvironmentContext,
  target: ConnectionTarget,
  ca: string | null,
): Promise<TargetConnection> {
  const { host, port, user, password, database } = target;
  const socket = ctx.http.createSocket();
  const client = new pg.Client({
    ...{ host, port, user, database },
    // A function, for an empty text would be looked up in the process's environment and home.
    password: () => password,
    stream: () => socket,
    ssl: toTlsOptions(target, ca),
    sslnegotiation: "postgres",
    application_name: "jackfield",
    client_encoding: "UTF8",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
  });
  let failure: Error | undefined;
  client.on("error", (error) => {
    failure ??= error;
  });
  const fail = (error: Error): void => {
    failure ??= error;
    socket.destroy(error);
  };
  const watch = setInterval(() => {
    if (socket.bytesRead > MOST_BYTES) {
      fail(new DeliveryError("protocol_error", `${host} sends more than a Postgres would.`));
    }
  }, LOOK_MS).unref();
  const abort = () => fail(new DeliveryError("stopped", "The server stops."));
  ctx.signal.addEventListener("abort", abort);
  const dispose = async (): Promise<void> => {
    ctx.signal.removeEventListener("abort", abort);
    clearInterval(watch);
    const timer = setTimeout(() => socket.destroy(), END_MS);
    await client.end().catch(() => undefined);
    clearTimeout(timer);
    socket.destroy();
  };
  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    await dispose();
    throw failure ?? error;
  }
  return {
    client,
    requireAlive() {
      if (failure !== undefined) throw failure;
    },
    [Symbol.asyncDispose]: dispose,
  };
}

function toTlsOptions({ tls }: ConnectionTarget, ca: string | null): ConnectionOptions | false {
  if (tls === "disable") return false;
  return {
    rejectUnauthorized: tls !== "require",
    ...(ca === null ? {} : { ca }),
    ...(tls === "verify-ca" ? { checkServerIdentity: () => undefined } : {}),
  };
}

/** Whether these are certificates: a connection with others would fail on our side. */
export function areCertificates(pem: string): boolean {
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) return false;
  try {
    createSecureContext({ ca: pem });
    return true;
  } catch {
    return false;
  }
}
