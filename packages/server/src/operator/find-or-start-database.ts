import { existsSync } from "node:fs";
import {
  DataFolderInUseError,
  findRunningDatabase,
  startEmbeddedPostgres,
} from "#foundation/embedded-postgres";

/** Address of the embedded database: of the server that runs on the folder, or started until the stack ends. */
export async function findOrStartDatabase(
  stack: AsyncDisposableStack,
  dataDir: string,
): Promise<string> {
  if (!existsSync(dataDir)) {
    throw new Error(
      `there is no data folder ${dataDir}: run this where the server is started, set SVC_DATA_DIR or SVC_DATABASE_URL, or start the server once`,
    );
  }
  try {
    return stack.use(await startEmbeddedPostgres({ dataDir, log: () => {} })).connectionString;
  } catch (error) {
    if (!(error instanceof DataFolderInUseError)) throw error;
    const running = await findRunningDatabase(dataDir);
    if (running === undefined) throw error;
    return running;
  }
}
