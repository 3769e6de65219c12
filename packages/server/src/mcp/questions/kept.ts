import { addMs, type EnvironmentContext, MINUTE } from "#foundation";
import { type AssociatedData, open, seal } from "#vault";
import { hasKeptRow, insertKept, takeKeptRow } from "./store.ts";

const KEPT_MS = 10 * MINUTE;

/**
 * Keeps a value while the user of a call answers: sealed, for ten minutes, to be taken once. The request state that goes
 * to the client names it; nothing of the value leaves.
 */
export async function keepForCall(
  ctx: EnvironmentContext,
  owner: string,
  value: object,
): Promise<string> {
  const id = crypto.randomUUID();
  await insertKept(ctx.db, ctx.environment.id, {
    ...{ id, owner: ownerOf(owner), createdAt: ctx.clock.now() },
    value: await seal(ctx, aadOf(ctx, id), Buffer.from(JSON.stringify(value))),
  });
  return id;
}

/** Whether it is there still; the one who takes it may yet be too late. */
export async function hasKept(
  ctx: EnvironmentContext,
  owner: string,
  id: string | undefined,
): Promise<boolean> {
  return id !== undefined && (await hasKeptRow(ctx.db, ctx.environment.id, wanted(ctx, owner, id)));
}

/** Undefined where it was taken before, or its time is over. */
export async function takeKept(
  ctx: EnvironmentContext,
  owner: string,
  id: string,
): Promise<unknown> {
  const sealed = await takeKeptRow(ctx.db, ctx.environment.id, wanted(ctx, owner, id));
  if (sealed === undefined) return undefined;
  return JSON.parse(Buffer.from(await open(ctx, aadOf(ctx, id), sealed)).toString());
}

function wanted(ctx: EnvironmentContext, owner: string, id: string) {
  return { id, owner: ownerOf(owner), since: addMs(ctx.clock.now(), -KEPT_MS) };
}

/** Not the one who may answer questions: no answer can take the place of what is kept. */
function ownerOf(owner: string): string {
  return `kept for ${owner}`;
}

function aadOf(ctx: EnvironmentContext, row: string): AssociatedData {
  return { environmentId: ctx.environment.id, table: "tool_questions", column: "answer", row };
}
