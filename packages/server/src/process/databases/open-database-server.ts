import { mkdir } from "node:fs/promises";
import type { Config } from "#config";
import type { Logger } from "#foundation";
import { requireAnswer } from "#foundation/db";
import { startEmbeddedPostgres } from "#foundation/embedded-postgres";

export interface DatabaseUrls {
  readonly main: string;
  /** Not through a transaction pooler: for LISTEN, migrations and the queue. */
  readonly direct: string;
}

/** Starts the embedded database, unless the operator names one; throws where it does not answer. */
export async function openDatabaseServer(
  stack: AsyncDisposableStack,
  { config, dataDir, log }: { config: Config; dataDir: string; log: Logger },
): Promise<DatabaseUrls> {
  if (config.databaseUrl !== undefined) {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const main = config.databaseUrl.reveal();
    const urls = { main, direct: config.databaseDirectUrl?.reveal() ?? main };
    await requireAnswer(main, { name: "SVC_DATABASE_URL" });
    if (urls.direct !== main) await requireAnswer(urls.direct, { name: "SVC_DATABASE_DIRECT_URL" });
    return urls;
  }
  const server = stack.use(
    await startEmbeddedPostgres({ dataDir, log: (event, fields) => log.info(event, fields) }),
  );
  await requireAnswer(server.connectionString, { name: "the embedded one" });
  return { main: server.connectionString, direct: server.connectionString };
}
