import { ensureAccount } from "#accounts";
import { AppError, addMs, backoffMs, MINUTE, SECOND, type SystemContext } from "#foundation";
import { lookupHash } from "#vault";
import { recordSignIn } from "../record-sign-in.ts";
import { findUserByEmail } from "../users/store.ts";
import { deleteFailures, findFailures, takeBackFailure, tryToCount } from "./store.ts";

/** How many failures are free, and how long the pause may grow that each further one doubles. */
interface Limit {
  readonly free: number;
  readonly mostMs: number;
}

const FIRST_PAUSE_MS = 30 * SECOND;
/** After so long without a failure the count begins again. */
export const WINDOW_MS = 15 * MINUTE;

const limits = {
  /** One address of the network, or one known browser, at one user. */
  pair: { free: 5, mostMs: 15 * MINUTE },
  /** All unknown browsers at one user: many addresses together try no more than this. */
  user: { free: 50, mostMs: 5 * MINUTE },
  /** One address of the network at all users. */
  address: { free: 20, mostMs: 15 * MINUTE },
} as const satisfies Record<string, Limit>;

export interface Attempt {
  readonly email: string;
  readonly address: string;
  /** A browser in which this user has signed in before: what others fail at does not hold it up. */
  readonly knownBrowser: string | undefined;
}

/**
 * Does `work` and counts it as a failure unless it succeeds. Throws sign_in_paused while failures before it make it
 * wait. It is counted before it is done, so that many at once are not more than one after the other.
 */
export async function withPauses<Result>(
  ctx: SystemContext,
  attempt: Attempt,
  work: () => Promise<Result>,
): Promise<Result> {
  const subjects = await subjectsOf(ctx, attempt);
  const counted: Buffer[] = [];
  try {
    for (const { subject, limit } of subjects) {
      const now = ctx.clock.now();
      if (!(await tryToCount(ctx.db, { subject, now, ...pausesOf(limit) }))) {
        throw await refuse(ctx, subject, limit);
      }
      counted.push(subject);
    }
    const result = await work();
    await takeBack(ctx, counted);
    await deleteFailures(ctx.db, counted.slice(0, 1));
    return result;
  } catch (error) {
    const hasFailed = error instanceof AppError && error.code === "sign_in_failed";
    if (!hasFailed) await takeBack(ctx, counted);
    else await noteFailure(ctx, attempt);
    throw error;
  }
}

/** Of failures that pauses let through, which bounds them. */
async function noteFailure(ctx: SystemContext, { email }: Attempt): Promise<void> {
  const code = "sign_in_failed";
  // Both are asked always: how long an answer takes is not to say whether there is such a user.
  const first = (await ensureAccount(ctx)).accountId;
  const accountId = (await findUserByEmail(ctx.db, email))?.accountId ?? first;
  const event = { accountId, email, action: "signIn.password", outcome: "refused", code } as const;
  await recordSignIn(ctx, event);
}

async function takeBack(ctx: SystemContext, subjects: readonly Buffer[]): Promise<void> {
  for (const subject of subjects) await takeBackFailure(ctx.db, subject);
}

async function subjectsOf(ctx: SystemContext, { email, address, knownBrowser }: Attempt) {
  const hash = async (kind: string, ...parts: string[]) =>
    await lookupHash(ctx, `sign_in_${kind}`, JSON.stringify(parts));
  const user = email.toLowerCase();
  if (knownBrowser !== undefined) {
    return [{ subject: await hash("browser", user, knownBrowser), limit: limits.pair }];
  }
  return [
    { subject: await hash("pair", user, address), limit: limits.pair },
    { subject: await hash("user", user), limit: limits.user },
    { subject: await hash("address", address), limit: limits.address },
  ];
}

function pausesOf({ free, mostMs }: Limit) {
  return { free, firstPauseMs: FIRST_PAUSE_MS, mostPauseMs: mostMs, windowMs: WINDOW_MS };
}

/** How long a subject with so many failures waits after the last one. */
export function pauseAfter(failures: number, { free, mostMs }: Limit): number {
  if (failures < free) return 0;
  return backoffMs({ firstMs: FIRST_PAUSE_MS, longestMs: mostMs }, failures - free + 1);
}

async function refuse(ctx: SystemContext, subject: Buffer, limit: Limit): Promise<AppError> {
  const row = await findFailures(ctx.db, subject);
  const now = ctx.clock.now();
  const until = row === undefined ? now : addMs(row.lastAt, pauseAfter(row.failures, limit));
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / SECOND));
  return new AppError(
    "sign_in_paused",
    `Too many sign-ins have failed; try again in ${seconds} s, or sign in another way.`,
    { headers: { "Retry-After": String(seconds) } },
  );
}
