import { isDeepStrictEqual } from "node:util";
import { AppError, type EnvironmentContext } from "#foundation";
import { getCatalogue, type ToolCatalogue } from "../catalogue/tool-catalogue.ts";
import { type Account, listAccounts, listCachedAccounts } from "../sessions/accounts.ts";
import { failUnknownToken, type ServedSession, stateOfSession } from "../sessions/session.ts";
import { findServedSession } from "../sessions/store.ts";
import { getSessionCatalogue } from "../upstream/session-catalogue.ts";

export type ReadAccounts = () => Promise<readonly Account[]>;

/** What a request of a session is answered by. */
export interface AgentServing {
  readonly session: ServedSession;
  readonly catalogue: ToolCatalogue;
  readonly readAccounts: ReadAccounts;
  /** Who calls, as the request names it. */
  readonly client: string | undefined;
  /** Of the last second and not of now: what would be refused by it is looked at again. */
  readonly isRemembered: boolean;
}

/** The session, or the account, has changed since a call was decided about; nothing of the call has happened. */
export class OutOfDate extends Error {
  override name = "OutOfDate";
}

const MOST_TRIES = 5;

interface Opened {
  readonly session: ServedSession;
  readonly client: string | undefined;
  readonly isRemembered: boolean;
}

export async function openServing(ctx: EnvironmentContext, opened: Opened): Promise<AgentServing> {
  const { session, isRemembered } = opened;
  const readAccounts = async () =>
    isRemembered ? await listCachedAccounts(ctx, session) : await listAccounts(ctx, session);
  const catalogue = await getSessionCatalogue(ctx, await getCatalogue(ctx), {
    ...{ session, readAccounts },
  });
  return { ...opened, catalogue, readAccounts };
}

/** Decides again by what there is now where what it was decided by is out of date. */
export async function decideByNow<Result>(
  ctx: EnvironmentContext,
  serving: AgentServing,
  work: (serving: AgentServing) => Promise<Result>,
): Promise<Result> {
  let now = serving;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    try {
      return await work(now);
    } catch (error) {
      if (!(error instanceof OutOfDate)) throw error;
    }
    now = await renewServing(ctx, now);
  }
  throw new AppError("overloaded", "The session changes all the time; nothing has happened.");
}

/** The same serving as it is now. */
export async function renewServing(
  ctx: EnvironmentContext,
  serving: AgentServing,
): Promise<AgentServing> {
  const { session, client } = serving;
  const found = await findServedSession(ctx.db, ctx.environment.id, session.id);
  if (found === undefined || stateOfSession(found, ctx.clock.now()) !== "open") {
    return failUnknownToken();
  }
  return await openServing(ctx, { session: found, client, isRemembered: false });
}

/** Nothing is refused by what is remembered. */
export function requireNow({ isRemembered }: { readonly isRemembered?: boolean }): void {
  if (isRemembered === true) throw new OutOfDate();
}

/** Throws OutOfDate where the call may have been refused because its session, or the account, has changed meanwhile. */
export async function requireUnchanged(
  ctx: EnvironmentContext,
  session: ServedSession,
  { connection }: Account,
): Promise<void> {
  const now = await findServedSession(ctx.db, ctx.environment.id, session.id);
  if (now === undefined || stateOfSession(now, ctx.clock.now()) !== "open") return;
  const decidedBy = (of: ServedSession) => [of.policy, of.taint.untrustedSeen, of.currentVersion];
  if (!isDeepStrictEqual(decidedBy(now), decidedBy(session))) throw new OutOfDate();
  const accounts = await listAccounts(ctx, now);
  if (accounts.every((each) => each.connection.uuid !== connection.uuid)) throw new OutOfDate();
}
