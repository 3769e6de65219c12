import { createHash } from "node:crypto";
import { findEnvironment } from "#environments";
import {
  addMs,
  DAY,
  type EnvironmentContext,
  SECOND,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { announceChange } from "#logs";
import { enqueueTask, listUnqueued, type TaskHandlers } from "#tasks";
import { findTouched } from "./find-touched.ts";
import { listItems } from "./items/store.ts";
import { signSummary } from "./reports/sign-report.ts";
import { type Revocation, USES_WRITTEN_MS } from "./revocation.ts";
import { selectPage } from "./select-connections.ts";
import {
  countItems,
  deleteRevocationsBefore,
  endRevocation,
  findRevocation,
  listOpenRevocations,
  storeTouched,
} from "./store.ts";
import { keyOf, revocationTasks } from "./tasks.ts";

const LOOK_AGAIN_MS = SECOND;
const PAGE = 500;
/** For an auditor who comes after a year. */
const KEPT_MS = 400 * DAY;

export const revocationTaskHandlers: TaskHandlers<typeof revocationTasks> = {
  run: async (system, named) => {
    const environment = await findEnvironment(system, named.environmentId);
    if (environment === undefined) return;
    const ctx = withEnvironment(system, environment);
    let waitMs: number | undefined = 0;
    while (waitMs === 0) waitMs = await takeStep(ctx, named.id);
    if (waitMs === undefined) return;
    const runAt = addMs(ctx.clock.now(), waitMs);
    const options = { runAt, key: keyOf(named.id), environmentId: named.environmentId };
    await enqueueTask(ctx, revocationTasks.run, named, options);
  },
};

/** How long to wait before the next step; undefined when there is none. */
export async function takeStep(ctx: EnvironmentContext, id: string): Promise<number | undefined> {
  ctx.signal.throwIfAborted();
  const revocation = await findRevocation(ctx.db, ctx.environment.id, id);
  if (revocation === undefined || revocation.endedAt !== null) return undefined;
  if (revocation.passesLeft > 0) return await select(ctx, revocation);
  if (revocation.touched === null) return await noteTouched(ctx, revocation);
  return await end(ctx, revocation);
}

async function select(ctx: EnvironmentContext, revocation: Revocation): Promise<number> {
  const { id, match, passesLeft, createdAt } = revocation;
  const isSecond = match.key_id !== undefined && passesLeft === 1;
  const waitMs = isSecond ? untilWritten(ctx, createdAt) : 0;
  if (waitMs === 0) await selectPage(ctx, id);
  return waitMs;
}

async function noteTouched(ctx: EnvironmentContext, revocation: Revocation): Promise<number> {
  const { id, isRehearsal, frozenAt, createdAt } = revocation;
  const waitMs = isRehearsal ? 0 : untilWritten(ctx, frozenAt ?? createdAt);
  if (waitMs > 0) return waitMs;
  const touched = await findTouched(ctx, revocation);
  await storeTouched(ctx.db, ctx.environment.id, { id, touched });
  return 0;
}

/** How long other processes may still have uses to write of the time before. */
function untilWritten({ clock }: EnvironmentContext, since: Date): number {
  return Math.max(0, addMs(since, USES_WRITTEN_MS).getTime() - clock.now().getTime());
}

async function end(ctx: EnvironmentContext, revocation: Revocation): Promise<number | undefined> {
  const { id } = revocation;
  const counts = (await countItems(ctx.db, [id])).get(id);
  if (counts === undefined || counts.waiting > 0) return LOOK_AGAIN_MS;
  const now = ctx.clock.now();
  const reportsSha256 = await hashReports(ctx, id);
  const summary = await signSummary(ctx, revocation, { counts, reportsSha256, endedAt: now });
  const isEnded = await endRevocation(ctx.db, ctx.environment.id, { id, summary, now });
  if (!isEnded) return LOOK_AGAIN_MS;
  announceChange(ctx, ctx.environment.id, "revocations");
  return undefined;
}

async function hashReports(ctx: EnvironmentContext, id: string): Promise<string> {
  const hash = createHash("sha256");
  let after = 0;
  for (;;) {
    ctx.signal.throwIfAborted();
    const items = await listItems(ctx.db, id, { after, limit: PAGE });
    for (const { report } of items) hash.update(`${report ?? ""}\n`);
    const last = items.at(-1);
    if (last === undefined || items.length < PAGE) return hash.digest("hex");
    after = last.position;
  }
}

/** Takes up revocations that the queue has given up, and forgets old ones; runs at start and daily. */
export async function keepRevocations(ctx: SystemContext): Promise<void> {
  await deleteRevocationsBefore(ctx.db, addMs(ctx.clock.now(), -KEPT_MS));
  const open = new Map(
    (await listOpenRevocations(ctx.db)).map((named) => [keyOf(named.id), named]),
  );
  for (const key of await listUnqueued(ctx, [...open.keys()])) {
    const named = open.get(key);
    if (named === undefined) continue;
    const { environmentId } = named;
    await enqueueTask(ctx, revocationTasks.run, named, { key, environmentId });
  }
}
