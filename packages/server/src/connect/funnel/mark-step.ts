import { isErrorCode } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { ConnectSession } from "../session.ts";
import { countForOffered, countStep } from "./count-step.ts";
import { EVERY_INTEGRATION, type FunnelStep } from "./step.ts";
import { completeSteps, failSteps, insertSteps, lockSession, type Step } from "./store.ts";

/** A session opens its page, chooses an integration or starts to authorize it. */
type Reached = Extract<FunnelStep, "opened" | "chosen" | "started">;

const before: Readonly<Record<Reached, readonly Reached[]>> = {
  opened: ["opened"],
  chosen: ["opened", "chosen"],
  // A client without the hosted page begins here.
  started: ["opened", "chosen", "started"],
};

/** Marks that the session has reached a step, and those before it; each counts once, also in several tabs. */
export async function markStep(
  ctx: EnvironmentContext,
  session: ConnectSession,
  { step, integrationId }: { readonly step: Reached; readonly integrationId?: number },
): Promise<void> {
  if (session.settings.purpose === "manage") return;
  const steps = before[step].flatMap((step): Step[] => {
    if (step === "opened") return [{ step, integrationId: EVERY_INTEGRATION }];
    return integrationId === undefined ? [] : [{ step, integrationId }];
  });
  for (const reached of await insertSteps(ctx.db, ctx.environment.id, {
    sessionId: session.id,
    steps,
  })) {
    if (reached.step === "opened") await countForOffered(ctx, session, "opened");
    else countStep(ctx, session, reached);
  }
}

interface Ended {
  readonly session: Pick<ConnectSession, "id" | "createdAt">;
  readonly integrationId: number;
}

/** Marks that the session has made its connection; what had failed before no longer counts as a failure. */
export async function markCompleted(
  ctx: EnvironmentContext,
  { session, integrationId }: Ended,
): Promise<void> {
  const { isNew, reason } = await inLockedSession(ctx, session, async ({ db, environment }) =>
    completeSteps(db, environment.id, { sessionId: session.id, integrationId }),
  );
  if (isNew) countStep(ctx, session, { step: "completed", integrationId });
  if (reason === undefined) return;
  countStep(ctx, session, { step: "failed", integrationId, reason, count: -1 });
}

/** Marks why the session failed, unless it has failed or made its connection before. */
export async function markFailed(
  ctx: EnvironmentContext,
  { session, integrationId, type }: Ended & { readonly type: string },
): Promise<void> {
  const reason = toReason(type);
  const isNew = await inLockedSession(ctx, session, async ({ db, environment }) =>
    failSteps(db, environment.id, { sessionId: session.id, integrationId, reason }),
  );
  if (isNew) countStep(ctx, session, { step: "failed", integrationId, reason });
}

/** Failure and success of two tabs wait for each other. */
async function inLockedSession<Result>(
  ctx: EnvironmentContext,
  { id }: Pick<ConnectSession, "id">,
  work: (ctx: EnvironmentContext) => Promise<Result>,
): Promise<Result> {
  return await withTransaction(ctx, async (ctx) => {
    await lockSession(ctx.db, ctx.environment.id, id);
    return await work(ctx);
  });
}

/** Types of session errors that are no codes of the API. */
const otherReasons: ReadonlySet<string> = new Set([
  ...["state_err", "state_cookie_err", "unknown_err"],
  ...["authorization_cancelled", "invalid_callback", "issuer_mismatch"],
  ...["token_err", "token_request_failed"],
]);

/** Of a closed list, so that nobody adds rows with words of theirs. */
function toReason(type: string): string {
  return isErrorCode(type) || otherReasons.has(type) ? type : "other";
}
