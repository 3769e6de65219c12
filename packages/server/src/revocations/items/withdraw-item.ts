import { getAuthMode } from "#auth-modes";
import {
  findConnectionByUuid,
  isRefreshRunning,
  readRevocation,
  type SealedRevocation,
} from "#connections";
import {
  addMs,
  backoffMs,
  type ConnectionUuid,
  type EnvironmentContext,
  MINUTE,
  reasonOf,
  SECOND,
} from "#foundation";
import { findIntegrationById } from "#integrations";
import { announceChange, recordOperation } from "#logs";
import { signItemReport } from "../reports/sign-report.ts";
import type { Item, Outcome, Revocation } from "../revocation.ts";
import { findRevocation } from "../store.ts";
import { type AttemptAnswer, attemptToken, tokensOf } from "./attempt.ts";
import { decide, type Verdict } from "./decide.ts";
import { openKept } from "./kept.ts";
import { postponeItem, settleItem } from "./store.ts";

const BACKOFF = { firstMs: 5 * SECOND, longestMs: MINUTE };
const WAIT_FOR_REFRESH_MS = 2 * SECOND;
const MOST_ATTEMPTS = 6;
/** After so long a provider that does not answer is reported as one. */
const GIVE_UP_MS = 10 * MINUTE;

/** Takes one claimed connection a step further: withdrawn, reported, or due again later. */
export async function withdrawItem(ctx: EnvironmentContext, item: Item): Promise<void> {
  const revocation = await findRevocation(ctx.db, ctx.environment.id, item.revocationId);
  if (revocation === undefined) return;
  if (!revocation.isRehearsal && item.kept === null && (await waitsForRefresh(ctx, item))) return;
  const found = await readCredentials(ctx, revocation, item);
  if (found.kind === "settled") return await settle(ctx, revocation, item, found.verdict);
  const { isRehearsal } = revocation;
  const answers: AttemptAnswer[] = [];
  for (const { token, without } of tokensOf(found.sealed)) {
    const answer = await attemptToken(ctx, found.sealed, { token, without, isRehearsal });
    if (answer !== undefined) answers.push(answer);
    if (answer?.isPassing === true && !isRehearsal) break;
  }
  const isLast = item.attempts >= MOST_ATTEMPTS || isLate(ctx, item);
  const verdict = decide(answers, { isRehearsal, isLast, isReadThrough: found.isReadThrough });
  if (verdict === "later") return await tryLater(ctx, item, answers);
  await settle(ctx, revocation, item, verdict);
}

/** A refresh that began before may bring another token: its answer is waited for, and then withdrawn. */
async function waitsForRefresh(ctx: EnvironmentContext, item: Item): Promise<boolean> {
  if (isLate(ctx, item) || !(await isRefreshRunning(ctx, uuidOf(item)))) return false;
  const dueAt = addMs(ctx.clock.now(), WAIT_FOR_REFRESH_MS);
  const { outcome } = item;
  await postponeItem(ctx.db, item, { dueAt, attempts: item.attempts - 1, outcome });
  return true;
}

function isLate({ clock }: EnvironmentContext, { frozenAt }: Item): boolean {
  return frozenAt !== null && clock.now().getTime() - frozenAt.getTime() > GIVE_UP_MS;
}

type Found =
  | {
      readonly kind: "withdrawable";
      readonly sealed: SealedRevocation;
      /** An old platform has the refresh token. */
      readonly isReadThrough: boolean;
    }
  | { readonly kind: "settled"; readonly verdict: Verdict };

function settledAs(state: Verdict["state"], reason: string): Found {
  return { kind: "settled", verdict: { state, outcome: { reason, answers: [] } } };
}

async function readCredentials(
  ctx: EnvironmentContext,
  { id, isRehearsal }: Revocation,
  item: Item,
): Promise<Found> {
  try {
    if (item.kept !== null) {
      const kept = await openKept(ctx, item, item.kept);
      return { kind: "withdrawable", sealed: kept, isReadThrough: false };
    }
    const connection = await findConnectionByUuid(ctx, uuidOf(item));
    const integration = await findIntegrationById(ctx, item.integrationId);
    if (connection === undefined || integration === undefined) return settledAs("gone", "deleted");
    if (!isRehearsal && connection.frozen === undefined) return settledAs("gone", "replaced");
    if (!isRehearsal && connection.frozen?.by !== id) return settledAs("gone", "other_revocation");
    const sealed = await readRevocation(ctx, integration, connection);
    const isReadThrough = connection.readThrough !== undefined;
    if (sealed !== undefined) return { kind: "withdrawable", sealed, isReadThrough };
    const { canRevoke } = getAuthMode(connection.authMode);
    const reason = canRevoke === undefined ? "credentials_not_revocable" : "no_revocation_endpoint";
    return settledAs("not_withdrawable", reason);
  } catch (error) {
    const { revocationId: revocation, position } = item;
    const reason = reasonOf(error);
    ctx.log.warn("revocations.credentials_unreadable", { revocation, position, reason });
    return settledAs("not_withdrawable", "credentials_unreadable");
  }
}

async function tryLater(
  ctx: EnvironmentContext,
  item: Item,
  answers: readonly AttemptAnswer[],
): Promise<void> {
  const held = answers.find(({ heldUntilMs }) => heldUntilMs !== undefined)?.heldUntilMs;
  const now = ctx.clock.now();
  const waitMs = held === undefined ? backoffMs(BACKOFF, item.attempts) : held - now.getTime();
  // Spread, so that not all come at once when the pause of a host ends.
  const dueAt = addMs(now, Math.ceil(waitMs * (1 + Math.random() / 4)));
  // Held back is not asked.
  const attempts = item.attempts - (held === undefined ? 0 : 1);
  await postponeItem(ctx.db, item, { dueAt, attempts, outcome: toOutcome(answers) });
}

function toOutcome(answers: readonly AttemptAnswer[]): Outcome {
  const plain = answers.map(({ isPassing: _, heldUntilMs: _held, ...answer }) => answer);
  return { reason: null, answers: plain };
}

async function settle(
  ctx: EnvironmentContext,
  revocation: Revocation,
  item: Item,
  { state, outcome }: Verdict,
): Promise<void> {
  const settledAt = ctx.clock.now();
  // What nobody was asked for was no attempt.
  const attempts = outcome.answers.length === 0 ? item.attempts - 1 : item.attempts;
  const reported = { ...item, state, outcome, attempts, settledAt };
  const report = await signItemReport(ctx, revocation, reported);
  await ctx.failpoints.hit("revocations.before_settle");
  if (!(await settleItem(ctx.db, item, { state, outcome, attempts, report, settledAt }))) return;
  announceChange(ctx, ctx.environment.id, "revocations");
  if (revocation.isRehearsal || outcome.answers.length === 0) return;
  recordOperation(ctx, {
    type: "auth",
    action: "revoke_token",
    message: `Withdraw the credentials of ${item.connectionId} by a revocation`,
    connection: { id: item.position, name: item.connectionId },
    startedAt: settledAt,
    meta: { revocation: item.revocationId },
    ...(state === "withdrawn"
      ? { state: "success" }
      : {
          state: "failed",
          error: { type: "revocation_failed", message: outcome.reason ?? state },
        }),
  });
}

// Rows hold what was chosen.
function uuidOf({ connectionUuid }: Item): ConnectionUuid {
  return connectionUuid as ConnectionUuid;
}
