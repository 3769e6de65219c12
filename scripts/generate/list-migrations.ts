import { readFile } from "node:fs/promises";
import { readMigrations } from "../../packages/server/src/foundation/db/migrations/migration-files.ts";

const list = new URL("../../packages/server/migrations/checksums.json", import.meta.url);

/** Checksum of each migration; one that is listed keeps its own, regardless of its file now. */
export async function listMigrations(): Promise<string> {
  const text = await readFile(list, "utf8").catch(() => "{}");
  const listed: Record<string, string> = JSON.parse(text);
  const migrations = await readMigrations();
  const entries = migrations.map(({ name, checksum }) => [name, listed[name] ?? checksum] as const);
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}
