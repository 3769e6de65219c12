import type { VaultContext } from "../data-key.ts";
import { keyIdOf } from "../seal.ts";
import type { SealedColumn } from "../sealed-column.ts";
import { openStored } from "./open-stored.ts";
import { nameOf } from "./reseal-page.ts";
import { listReplacedKeys, listSealedRows, type SealedRow } from "./store.ts";

export interface ColumnReport {
  /** `table.column` */
  readonly name: string;
  readonly ok: number;
  readonly failed: number;
  /** Of those that open: sealed by a data key that was replaced. */
  readonly byReplacedKey: number;
  /** Primary keys of the first rows that failed. */
  readonly failedRows: readonly string[];
}

const NAMED_ROWS = 5;

/** Opens every sealed text once, and throws the plaintext away. Servers may write and remove rows meanwhile. */
export async function verifySealed(
  ctx: VaultContext,
  columns: readonly SealedColumn[],
): Promise<ColumnReport[]> {
  const replaced = new Set((await listReplacedKeys(ctx.db)).ids);
  const reports: ColumnReport[] = [];
  for (const column of columns) reports.push(await verifyColumn(ctx, column, replaced));
  return reports;
}

async function verifyColumn(
  ctx: VaultContext,
  column: SealedColumn,
  replaced: ReadonlySet<string>,
): Promise<ColumnReport> {
  const failedRows: string[] = [];
  const counts = { ok: 0, failed: 0, byReplacedKey: 0 };
  let rows: readonly SealedRow[];
  let after: readonly string[] | undefined;
  do {
    rows = await listSealedRows(ctx.db, column, { after, sealedBy: undefined });
    after = rows.at(-1)?.key;
    for (const row of rows) {
      const { kind } = await openStored(ctx, column, row);
      if (kind === "failed") {
        counts.failed += 1;
        if (failedRows.length < NAMED_ROWS) failedRows.push(row.key.join("/"));
      }
      if (kind !== "opened") continue;
      counts.ok += 1;
      if (replaced.has(keyIdOf(row.sealed))) counts.byReplacedKey += 1;
    }
  } while (rows.length > 0);
  return { name: nameOf(column), ...counts, failedRows };
}
