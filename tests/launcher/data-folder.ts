import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { seedRunnerFile } from "../../packages/server/src/foundation/sandbox/testing/seed-runner-file.ts";
import { temporaryRoot } from "../../packages/server/src/foundation/testing/temporary-root.ts";

/** A data folder of a server that is tried out, removed with all that is in it when disposed. */
export interface DataFolder extends AsyncDisposable {
  readonly path: string;
}

/** `root`: the folder that it is made in, such as one on a disk for a database that is larger than the memory. */
export async function makeDataFolder(root = temporaryRoot()): Promise<DataFolder> {
  const path = await mkdtemp(join(root, "jackfield-data-"));
  // As root the database runs as another user, who has to get through.
  await chmod(path, 0o711);
  await seedRunnerFile(path);
  return {
    path,
    async [Symbol.asyncDispose]() {
      // The database of a server that crashed may still write as it ends.
      await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
