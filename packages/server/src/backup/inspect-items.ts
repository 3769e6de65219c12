import type { BackupItem, FileItem, HeaderItem } from "./backup-item.ts";

/** What a backup holds next to the database. */
export interface Inspection {
  readonly header: HeaderItem;
  /** Master keys in base64, the current one first; empty when the backup was made without. */
  readonly keys: readonly string[];
  readonly files: readonly FileItem[];
  readonly tables: number;
  readonly rows: number;
}

/** Reads to the end; throws when something is missing. */
export async function inspectItems(items: AsyncIterable<BackupItem>): Promise<Inspection> {
  let header: HeaderItem | undefined;
  let keys: readonly string[] = [];
  let end: Extract<BackupItem, { kind: "end" }> | undefined;
  const files = new Map<string, FileItem>();
  let [tables, rows] = [0, 0];
  for await (const item of items) {
    if ((header === undefined) !== (item.kind === "header") || end !== undefined) {
      throw new Error("the backup cannot be read: its parts are out of order");
    }
    if (item.kind === "header") header = item;
    if (item.kind === "keys") ({ keys } = item);
    if (item.kind === "file") files.set(item.name, item);
    if (item.kind === "end") end = item;
    if (item.kind !== "table-end") continue;
    tables += 1;
    rows += item.rows;
  }
  if (header === undefined || end?.tables !== tables || end.rows !== rows) {
    throw new Error("the backup cannot be read: it is not whole");
  }
  return { header, keys, files: [...files.values()], tables, rows };
}
