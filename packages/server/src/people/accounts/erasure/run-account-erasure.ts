import { findAccount } from "#accounts";
import { eraseAuditDetails, eraseAuditNamesOfAccount } from "#audit";
import { deleteEnvironmentsOf, deleteKeysOfAccount, eraseEnvironmentsOf } from "#environments";
import { addMs, SECOND, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { eraseLogsOfEnvironments } from "#logs";
import { listUnqueued, type TaskHandlers } from "#tasks";
import type { AccountCounts, AccountErasure } from "./account-erasure.ts";
import { keyOf, queueErasure } from "./erase-account.ts";
import {
  deleteAccountRows,
  findAccountErasure,
  listNamesOfPeople,
  listOpenErasures,
  noteAccountStep,
} from "./store.ts";
import type { accountTasks } from "./tasks.ts";

/** Until providers have withdrawn what the environments hold, and work in them has ended. */
const LOOK_AGAIN_MS = 10 * SECOND;
/** Other processes write what they have logged within a second, and after an outage as soon as the database is back. */
const LOGS_WRITTEN_MS = 10 * SECOND;

type Step = (ctx: SystemContext, erasure: AccountErasure) => Promise<AccountCounts | "wait">;

/** In this order; each can be repeated, since a worker may die between what it does and the note of that. */
const steps: readonly Step[] = [
  removeEnvironments,
  eraseRows,
  eraseLogs,
  eraseLogs,
  eraseNames,
  eraseRest,
];
/** What comes before a second look at the logs. */
const LOGS_LOOKED_AT = steps.indexOf(eraseLogs);

export const accountTaskHandlers: TaskHandlers<typeof accountTasks> = {
  erase: async (ctx, { id }) => {
    let waitMs: number | undefined = 0;
    while (waitMs === 0) waitMs = await takeAccountStep(ctx, id);
    if (waitMs !== undefined) await queueErasure(ctx, id, addMs(ctx.clock.now(), waitMs));
  },
};

/** How long to wait before the next step; undefined when there is none. */
export async function takeAccountStep(ctx: SystemContext, id: string): Promise<number | undefined> {
  ctx.signal.throwIfAborted();
  const erasure = await findAccountErasure(ctx.db, id);
  const step = erasure && steps[erasure.step];
  if (erasure === undefined || step === undefined || erasure.endedAt !== null) return undefined;
  const counts = await step(ctx, erasure);
  if (counts === "wait") return LOOK_AGAIN_MS;
  const isLast = erasure.step === steps.length - 1;
  const endedAt = isLast ? ctx.clock.now() : null;
  await noteAccountStep(ctx.db, id, { step: erasure.step, counts, endedAt });
  if (isLast) return undefined;
  return erasure.step === LOGS_LOOKED_AT ? LOGS_WRITTEN_MS : 0;
}

async function removeEnvironments(ctx: SystemContext, { accountId }: AccountErasure) {
  await deleteEnvironmentsOf(ctx, accountId);
  return {};
}

async function eraseRows(ctx: SystemContext, { accountId }: AccountErasure) {
  const isErased = await eraseEnvironmentsOf(ctx, accountId);
  return isErased ? {} : "wait";
}

async function eraseLogs(ctx: SystemContext, { environmentIds }: AccountErasure) {
  const { operations, messages } = await eraseLogsOfEnvironments(ctx, environmentIds);
  return { log_operations: operations, log_messages: messages };
}

/** What was done stays in the audit log; who did it, and to whom, does not. */
async function eraseNames(ctx: SystemContext, { accountId }: AccountErasure) {
  let names = 0;
  for (const { id, email } of await listNamesOfPeople(ctx.db, accountId)) {
    names += await eraseAuditDetails(ctx, { accountId, userId: id, emails: [email] });
  }
  const account = await findAccount(ctx.db, accountId);
  if (account !== undefined) names += await eraseAuditNamesOfAccount(ctx, account);
  return { audit_names: names };
}

async function eraseRest(ctx: SystemContext, { accountId }: AccountErasure) {
  await withTransaction(ctx, async ({ db }) => {
    await deleteKeysOfAccount(db, accountId);
    await deleteAccountRows(db, accountId);
  });
  return {};
}

/** Takes up erasures that the queue has given up; runs daily. */
export async function resumeAccountErasures(ctx: SystemContext): Promise<void> {
  const open = new Map((await listOpenErasures(ctx.db)).map(({ id }) => [keyOf(id), id]));
  for (const key of await listUnqueued(ctx, [...open.keys()])) {
    const id = open.get(key);
    if (id !== undefined) await queueErasure(ctx, id);
  }
}
