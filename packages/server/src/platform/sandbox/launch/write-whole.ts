import { rename, writeFile } from "node:fs/promises";

/** Two processes may share the folder: a reader never sees half a file. */
export async function writeWhole(
  path: string,
  content: string | Uint8Array,
  mode = 0o644,
): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, content, { mode });
  await rename(temporary, path);
}
