import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Logger, SECOND, version } from "#foundation";
import { listPendingMigrations } from "#foundation/db";

interface Waiting {
  /** Not through a transaction pooler. */
  readonly connectionString: string;
  readonly address: { readonly host: string; readonly port: number };
  readonly log: Logger;
  readonly signal: AbortSignal | undefined;
}

const LOOK_EVERY_MS = SECOND;
const CURE = "run `jackfield migrate`, or start with SVC_MIGRATE=auto";

/**
 * With SVC_MIGRATE=off: resolves when the schema is up to date. Until then the address answers `/health` with 200,
 * so that nothing restarts the process, and all else with 503 and the reason. Rejects once `signal` is aborted.
 */
export async function waitForSchema({
  connectionString,
  address,
  log,
  signal,
}: Waiting): Promise<void> {
  let pending = await listPendingMigrations(connectionString);
  if (pending.length === 0) return;
  log.warn("database.schema_behind", { pending: pending.map(({ name }) => name), cure: CURE });
  await using _server = await answerNotReady(address, () => pending.length);
  while (pending.length > 0) {
    await sleep(LOOK_EVERY_MS);
    if (signal?.aborted === true) throw new Error("stopped before the schema was up to date");
    pending = await listPendingMigrations(connectionString);
  }
  log.info("database.schema_ready");
}

async function answerNotReady(
  { host, port }: Waiting["address"],
  countPending: () => number,
): Promise<AsyncDisposable> {
  const server = createServer((request, response) => {
    const isAlive = request.url === "/health";
    const message = `Not ready: the database lacks ${countPending()} migrations; ${CURE}.`;
    const body = isAlive ? { result: "ok", version } : { error: { code: "overloaded", message } };
    response.writeHead(isAlive ? 200 : 503, {
      "content-type": "application/json",
      connection: "close",
      ...(isAlive ? {} : { "retry-after": "1" }),
    });
    response.end(JSON.stringify(body));
  });
  server.listen({ host, port });
  await once(server, "listening");
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
