import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TestFolder extends AsyncDisposable {
  readonly path: string;
}

/** An empty folder for one test, removed afterwards. */
export async function createTestFolder(): Promise<TestFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "jackfield-cli-")));
  // As root, the embedded database runs as another user and has to pass through.
  await chmod(path, 0o711);
  return {
    path,
    [Symbol.asyncDispose]: async () => await rm(path, { recursive: true, force: true }),
  };
}
