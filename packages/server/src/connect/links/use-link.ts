import { getEnvironment } from "#environments";
import { findCachedIntegration, findProviderOf } from "#integrations";
import { AppError, type EnvironmentContext, type SystemContext, withEnvironment } from "#platform";
import { withTransaction } from "#platform/db";
import { lookupHash } from "#vault";
import { type CreatedSession, prepareSession } from "../sessions/create-session.ts";
import { insertSessions } from "../store.ts";
import { type ConnectLink, LINK_TOKEN, stateOfLink } from "./link.ts";
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
    integrations: names.length === 0 ? null : names,
    asksFor: tags["organization_display_name"] ?? tags["end_user_display_name"] ?? null,
    expiresAt: link.expiresAt,
    usesLeft: link.maxUses - link.uses,
  };
}

/** Begins a session; throws not_found, and what a session throws, which spends nothing. */
export async function spendLink(ctx: SystemContext, token: string): Promise<CreatedSession> {
  const { ctx: inside, link } = await findOpenLink(ctx, token);
  const now = ctx.clock.now();
  const { row, created } = await prepareSession(inside, { settings: link.settings, defaults: {} });
  await withTransaction(inside, async ({ db }) => {
    if (!(await spendUse(db, link.environmentId, { id: link.id, now }))) throw noLink();
    await insertSessions(db, [row]);
  });
  return created;
}

async function findOpenLink(ctx: SystemContext, token: string): Promise<OpenLink> {
  const link = await findLinkByHash(ctx.db, await lookupHash(ctx, LINK_TOKEN, token));
  if (link === undefined || stateOfLink(link, ctx.clock.now()) !== "open") throw noLink();
  const environment = await getEnvironment(ctx, link.environmentId);
  return { ctx: withEnvironment(ctx, environment), link };
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
