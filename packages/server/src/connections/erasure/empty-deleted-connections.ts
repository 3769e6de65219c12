import type { SystemContext } from "#foundation";
import { emptyDeletedRows } from "./store.ts";

const ROWS_AT_ONCE = 1000;

/** Connections that an earlier release deleted still say whose they were; runs daily. */
export async function emptyDeletedConnections(ctx: SystemContext): Promise<void> {
  let after: number | undefined = 0;
  while (after !== undefined && !ctx.signal.aborted) {
    after = await emptyDeletedRows(ctx.db, { after, limit: ROWS_AT_ONCE });
  }
}
