import type { SystemContext } from "#foundation";
import { withSnapshot } from "#foundation/db";
import { DetailCheck } from "./detail-check.ts";
import { BEGINNING, digestOf, hasOwnMac, headMac, sealOf } from "./macs.ts";
import {
  findHead,
  type Head,
  hasRecorded,
  listSealed,
  listSeals,
  listStray,
  listUnsealed,
} from "./store.ts";

export interface ChainReport {
  /** Seals and events that were looked at. */
  readonly seals: number;
  readonly events: number;
  /** Events that no seal covers yet. */
  readonly unsealed: number;
  /** Names, addresses and the like that were erased, each part of an event once. */
  readonly erased: number;
  /** What is not as it was written, a sentence each; empty for a log that nobody has touched. At most 100. */
  readonly faults: readonly string[];
  /** The last seal, in hexadecimal; undefined without one. Kept elsewhere, it proves that nothing before it is gone. */
  readonly head: string | undefined;
}

type KeyHolder = Pick<SystemContext, "db" | "clock" | "keys">;

const MOST_FAULTS = 100;
const SEALS_AT_ONCE = 500;
const UNSEALED_AT_MOST = 100_000;

/**
 * Goes through the whole log; `known` is a seal that was kept elsewhere, in hexadecimal, which it has to contain. Says
 * what was changed, removed, added or moved since it was written. The server may write and seal events meanwhile.
 */
export async function verifyChain(
  ctx: KeyHolder,
  options: { known?: string | undefined } = {},
): Promise<ChainReport> {
  return await withSnapshot(ctx, async (ctx) => await verifyStill(ctx, options));
}

async function verifyStill(
  ctx: KeyHolder,
  { known }: { known?: string | undefined },
): Promise<ChainReport> {
  const head = await findHead(ctx.db);
  const faults: string[] = [];
  const note = (fault: string) => faults.length < MOST_FAULTS && faults.push(fault);
  let isKnown = known === undefined;
  const counts = { seals: 0, events: 0 };
  const details = new DetailCheck(ctx, note);
  let before: Buffer = BEGINNING;
  if (head !== undefined && !head.mac.equals(await headMac(ctx, head))) {
    note("The head of the log was changed.");
  }
  for (let next = 1; ; ) {
    const seals = await listSeals(ctx.db, { from: next, limit: SEALS_AT_ONCE });
    for (const seal of seals) {
      if (seal.id !== next) note(`Seals ${next} to ${seal.id - 1} are missing.`);
      if (!seal.seal.equals(await sealOf(ctx, before, seal))) {
        note(`Seal ${seal.id} was changed, or what came before it.`);
      }
      counts.seals += 1;
      counts.events += await verifySealed(ctx, { seal, head, note, details });
      isKnown ||= seal.seal.toString("hex") === known?.toLowerCase();
      before = seal.seal;
      next = seal.id + 1;
    }
    if (seals.length < SEALS_AT_ONCE) {
      verifyEnd(head, next - 1, note);
      break;
    }
  }
  for (const { id } of await listStray(ctx.db, { lastSeal: head?.lastSeal ?? 0 })) {
    note(`Event ${id} names a seal that there is not.`);
  }
  if (!isKnown) note("The seal that was kept elsewhere is not in the log: its end was cut off.");
  const unsealed = await listUnsealed(ctx.db, UNSEALED_AT_MOST);
  for (const row of unsealed) {
    if (!(await hasOwnMac(ctx, row))) note(`Event ${row.id} was added or changed.`);
  }
  await details.verify(unsealed);
  details.end();
  if (head === undefined && unsealed.length === 0 && (await hasRecorded(ctx.db))) {
    note("The log was emptied.");
  }
  const last = before === BEGINNING ? undefined : before.toString("hex");
  return { ...counts, unsealed: unsealed.length, erased: details.erased, faults, head: last };
}

function verifyEnd(head: Head | undefined, last: number, note: (fault: string) => unknown): void {
  const expected = head?.lastSeal ?? 0;
  if (last < expected) note(`Seals ${last + 1} to ${expected} are missing.`);
  if (last > expected)
    note(`Seals ${expected + 1} to ${last} were added, or the head was taken back.`);
}

async function verifySealed(
  ctx: KeyHolder,
  {
    seal,
    head,
    note,
    details,
  }: {
    seal: { id: number; events: number; digest: Buffer };
    head: Head | undefined;
    note: (fault: string) => unknown;
    details: DetailCheck;
  },
): Promise<number> {
  const rows = await listSealed(ctx.db, seal.id);
  if (seal.id <= (head?.prunedUntil ?? 0)) {
    if (rows.length > 0) note(`Seal ${seal.id} is past its age, but has events.`);
    return 0;
  }
  for (const row of rows) {
    if (!(await hasOwnMac(ctx, row))) note(`Event ${row.id} was added or changed.`);
  }
  await details.verify(rows);
  if (rows.length !== seal.events) {
    note(`Seal ${seal.id} covers ${seal.events} events; there are ${rows.length}.`);
  } else if (!seal.digest.equals(digestOf(rows))) {
    note(`The events of seal ${seal.id} are not those that it covers, or in another order.`);
  }
  return rows.length;
}
