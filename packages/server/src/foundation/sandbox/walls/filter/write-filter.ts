import { createHash } from "node:crypto";
import { chmod, mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { writeWhole } from "../../launch/write-whole.ts";
import { compileCallFilter } from "./call-filter.ts";

/** Writes the filter of system calls below the data folder, readable for all; resolves to its path. */
export async function writeFilter(dataDir: string): Promise<string> {
  const filter = compileCallFilter();
  if (filter === undefined) throw new Error(`no filter of system calls for ${process.arch}`);
  const folder = resolve(dataDir, "cache");
  await mkdir(folder, { recursive: true });
  const hash = createHash("sha256").update(filter).digest("hex").slice(0, 16);
  const file = resolve(folder, `calls-${hash}.bpf`);
  await writeWhole(file, filter);
  await chmod(file, 0o644);
  return file;
}
