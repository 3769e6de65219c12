import type { AssociatedData } from "../associated-data.ts";
import type { VaultContext } from "../data-key.ts";
import { keyIdOf, open, seal } from "../seal.ts";
import type { SealedColumn } from "../sealed-column.ts";
import { listSealedRows, replaceSealedRows, type SealedPage, type SealedRow } from "./store.ts";

export interface ResealedPage {
  /** Primary key of the last row; undefined when there was none. */
  readonly last: readonly string[] | undefined;
  readonly resealed: number;
  /** Written by someone else meanwhile. */
  readonly skipped: number;
  /** For each text that does not open, the data key that it names. */
  readonly failedKeys: readonly string[];
}

export function nameOf({ table, column }: SealedColumn): string {
  return `${table}.${column}`;
}

export function aadOf(
  { table, sealedAs = table, column }: SealedColumn,
  row: SealedRow,
): AssociatedData {
  return { table: sealedAs, column, environmentId: row.environmentId, row: row.row };
}

/** Seals the next texts of a column by the key in use; a text that was written meanwhile stays as written. */
export async function resealPage(
  ctx: VaultContext,
  column: SealedColumn,
  page: SealedPage,
): Promise<ResealedPage> {
  const found = await listSealedRows(ctx.db, column, page);
  const updates: { old: SealedRow; sealed: Buffer }[] = [];
  const failedKeys: string[] = [];
  for (const old of found) {
    const aad = aadOf(column, old);
    const opened = await open(ctx, aad, old.sealed).catch(() => undefined);
    if (opened === undefined) failedKeys.push(keyIdOf(old.sealed));
    else updates.push({ old, sealed: await seal(ctx, aad, opened) });
  }
  const resealed = updates.length === 0 ? 0 : await replaceSealedRows(ctx.db, column, updates);
  return {
    last: found.at(-1)?.key,
    resealed,
    skipped: updates.length - resealed,
    failedKeys,
  };
}
