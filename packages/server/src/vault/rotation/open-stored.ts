import type { AssociatedData } from "../associated-data.ts";
import type { VaultContext } from "../data-key.ts";
import { open } from "../seal.ts";
import type { SealedColumn } from "../sealed-column.ts";
import { findSealedRow, type SealedRow } from "./store.ts";

export type Opened =
  | { readonly kind: "opened"; readonly text: Buffer }
  /** Removed, or written by someone else, since it was listed. */
  | { readonly kind: "changed" }
  | { readonly kind: "failed" };

export function aadOf(
  { table, sealedAs = table, column }: SealedColumn,
  row: SealedRow,
): AssociatedData {
  return { table: sealedAs, column, environmentId: row.environmentId, row: row.row };
}

/**
 * Opens the text of a row that was listed a moment ago. Where it does not open, the row is read again: that of an
 * environment which was erased meanwhile, with its data keys, is no fault.
 */
export async function openStored(
  ctx: VaultContext,
  column: SealedColumn,
  row: SealedRow,
): Promise<Opened> {
  const text = await open(ctx, aadOf(column, row), row.sealed).catch(() => undefined);
  if (text !== undefined) return { kind: "opened", text };
  const now = await findSealedRow(ctx.db, column, row.key);
  return { kind: now?.sealed.equals(row.sealed) ? "failed" : "changed" };
}
