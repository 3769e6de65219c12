import { findConnectionByUuid } from "#connections";
import { getEnvironment } from "#environments";
import {
  AppError,
  type EnvironmentContext,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { findCachedIntegration, findProviderOf } from "#integrations";
import { announceChange } from "#logs";
import { lookupHash } from "#vault";
import { countForOffered } from "../funnel/count-step.ts";
import {
  type CreatedSession,
  prepareSession,
  type SessionInput,
} from "../sessions/create-session.ts";
import { presentPageSettings } from "../sessions/present-page-settings.ts";
import { insertSessions } from "../store.ts";
import { hashCode } from "./create-link.ts";
import { type ConnectLink, purposeOfToken, stateOfLink } from "./link.ts";
import { findLinkByHash, spendUse } from "./store.ts";

interface OpenLink {
  readonly ctx: EnvironmentContext;
  readonly link: ConnectLink;
}

/** What the link is for; spends nothing, since mail scanners and previews look at links, too. Throws not_found. */
export async function openLink(ctx: SystemContext, token: string) {
  const { ctx: inside, link } = await findOpenLink(ctx, token);
  const { allowedIntegrations = [], tags = {} } = link.settings;
  const names = await Promise.all(
    allowedIntegrations.map(async (key) => await nameOf(inside, key)),
  );
  return {
    pageSettings: await presentPageSettings(inside),
    language: link.settings.language ?? null,
    needsCode: link.needsCode,
    integrations: names.length === 0 ? null : names,
    asksFor: tags["organization_display_name"] ?? tags["end_user_display_name"] ?? null,
    expiresAt: link.expiresAt,
    usesLeft: link.maxUses - link.uses,
  };
}

/** Begins a session; throws not_found, forbidden for a wrong code, and what a session throws, which spends nothing. */
export async function spendLink(
  ctx: SystemContext,
  { token, code }: { token: string; code?: string | undefined },
): Promise<CreatedSession> {
  const { ctx: inside, link } = await findOpenLink(ctx, token);
  const now = ctx.clock.now();
  const { row, created } = await prepareSession(inside, toSession(link));
  if (link.needsCode && code === undefined) {
    throw new AppError("forbidden", "This link needs the code that its sender has told you.");
  }
  const codeHash = code === undefined ? null : await hashCode(ctx, link.id, code);
  const spending = await withTransaction(inside, async ({ db }) => {
    const result = await spendUse(db, link.environmentId, { id: link.id, now, codeHash });
    if (result.kind === "spent") await insertSessions(db, [row]);
    return result;
  });
  // After the transaction, which has counted the wrong code.
  if (spending.kind === "wrong_code" && spending.triesLeft > 0) throw wrongCode(spending.triesLeft);
  if (spending.kind !== "spent") throw noLink();
  announceChange(inside, link.environmentId, "connect-links");
  await countForOffered(inside, row, "created");
  return created;
}

/** A connection that is authorized again keeps the tags that it has by now. */
function toSession({ settings, reconnects }: ConnectLink): SessionInput {
  if (reconnects === null) return { settings, defaults: {} };
  return { settings: { ...settings, tags: undefined }, defaults: {}, reconnects: reconnects.uuid };
}

async function findOpenLink(ctx: SystemContext, token: string): Promise<OpenLink> {
  const link = await findLinkByHash(ctx.db, await lookupHash(ctx, purposeOfToken(token), token));
  if (link === undefined || stateOfLink(link, ctx.clock.now()) !== "open") throw noLink();
  const environment = await getEnvironment(ctx, link.environmentId);
  const inside = withEnvironment(ctx, environment);
  const { reconnects } = link;
  if (reconnects !== null && !(await findConnectionByUuid(inside, reconnects.uuid))) throw noLink();
  return { ctx: inside, link };
}

function wrongCode(triesLeft: number): AppError {
  const tries = triesLeft === 1 ? "1 try is" : `${triesLeft} tries are`;
  return new AppError("forbidden", `That is not the link's code; ${tries} left.`);
}

/** The same for each way in which a link ends: who has it need not learn more. */
function noLink(): AppError {
  return new AppError("not_found", "This link does not work any more; ask the sender for another.");
}

async function nameOf(ctx: EnvironmentContext, key: string): Promise<string> {
  const integration = await findCachedIntegration(ctx, key);
  if (integration === undefined) return key;
  return integration.displayName ?? findProviderOf(integration)?.display_name ?? key;
}
