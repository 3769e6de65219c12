import { MINUTE, SECOND } from "#foundation";
import { boundedDb, WorkerAway } from "#foundation/db";
import type { VaultContext } from "../data-key.ts";
import type { SealedColumn, Together } from "../sealed-column.ts";
import { nameOf, type ResealedPage, resealPage } from "./reseal-page.ts";
import { listValues, requireRowsOf } from "./store.ts";

/** Of statements, where tables are distributed; undefined: they may take as long as they like. */
export interface SweepBounds {
  /** About all servers. One that takes longer is done for each value that rows lie together by. */
  readonly wholeMs: number;
  /** Whether the server of a value answers. */
  readonly answerMs: number;
  /** About the rows of one value. */
  readonly valueMs: number;
}

export const sweepBounds: SweepBounds = {
  wholeMs: MINUTE,
  answerMs: SECOND,
  valueMs: 5 * MINUTE,
};

export interface ColumnSweep {
  readonly sealedBy: readonly Buffer[];
  readonly bounds: SweepBounds | undefined;
  /** In this pass, or the one before, a server did not answer: what is about all servers would wait for it. */
  readonly isApart: boolean;
  /** Primary key of the last row that was looked at. */
  readonly after: readonly string[] | undefined;
  /** `last` is left out where the next call cannot continue from there. */
  readonly note: (page: ResealedPage) => Promise<void>;
}

/** Seals all texts of a column again; resolves to how many values it had to leave, since their servers do not answer. */
export async function sweepColumn(
  ctx: VaultContext,
  column: SealedColumn,
  sweep: ColumnSweep,
): Promise<number> {
  const { bounds } = sweep;
  const { together } = column;
  if (bounds === undefined || together === undefined) {
    await sweepPages(ctx, column, sweep);
    return 0;
  }
  if (!sweep.isApart) {
    try {
      const bound = { ...ctx, db: boundedDb(ctx.db, bounds.wholeMs) };
      await sweepPages(bound, column, sweep);
      return 0;
    } catch (error) {
      if (!(error instanceof WorkerAway)) throw error;
      ctx.log?.warn("vault.column_by_parts", { column: nameOf(column) });
    }
  }
  return await sweepApart(ctx, { column, together, bounds, sweep });
}

async function sweepPages(
  ctx: VaultContext,
  column: SealedColumn,
  { sealedBy, after, note, value }: ColumnSweep & { readonly value?: string },
): Promise<void> {
  let last = after;
  for (;;) {
    const page = await resealPage(ctx, column, { after: last, sealedBy, value });
    if (page.last === undefined) return;
    last = page.last;
    await note(page);
  }
}

interface SweepingApart {
  readonly column: SealedColumn;
  readonly together: Together;
  readonly bounds: SweepBounds;
  readonly sweep: ColumnSweep;
}

/** One value after the other: those whose server does not answer are left. */
async function sweepApart(
  ctx: VaultContext,
  { column, together, bounds, sweep }: SweepingApart,
): Promise<number> {
  const { sealedBy, isApart, note } = sweep;
  const asked = boundedDb(ctx.db, bounds.answerMs);
  const bound = { ...ctx, db: boundedDb(ctx.db, bounds.valueMs) };
  const own = {
    ...{ sealedBy, bounds, isApart, after: undefined },
    note: async (page: ResealedPage) => await note({ ...page, last: undefined }),
  };
  let left = 0;
  let values = await listValues(ctx.db, together, undefined);
  while (values.length > 0) {
    for (const value of values) {
      try {
        await requireRowsOf(asked, column, together, value);
        await sweepPages(bound, column, { ...own, value });
      } catch (error) {
        if (!(error instanceof WorkerAway)) throw error;
        left += 1;
      }
    }
    values = await listValues(ctx.db, together, values.at(-1));
  }
  return left;
}
