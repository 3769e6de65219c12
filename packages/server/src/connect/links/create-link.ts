import { randomUUID } from "node:crypto";
import { addMs, DAY, type EnvironmentContext, SECOND } from "#platform";
import { lookupHash } from "#vault";
import type { SessionSettings } from "../session.ts";
import { checkSession, invalidBody } from "../sessions/check-session.ts";
import { type ConnectLink, LINK_TOKEN, newLinkToken } from "./link.ts";
import { insertLink } from "./store.ts";

const USUAL_LIFE_MS = 7 * DAY;

export interface LinkInput {
  readonly settings: SessionSettings;
  readonly note: string | undefined;
  readonly maxUses: number | undefined;
  readonly lifeSeconds: number | undefined;
}

/** Makes a link; its token is shown once and stored only as a keyed hash. Throws invalid_body. */
export async function createLink(
  ctx: EnvironmentContext,
  { settings, note, maxUses = 1, lifeSeconds }: LinkInput,
): Promise<{ link: ConnectLink; url: string }> {
  // Who gets the link is not known by any login: without tags nobody knows whose connections come of it.
  if (Object.keys(settings.tags ?? {}).length === 0) {
    throw invalidBody(["tags"], "must name whose connections these will be");
  }
  await checkSession(ctx, settings, {});
  const token = newLinkToken();
  const createdAt = ctx.clock.now();
  const link = {
    ...{ id: randomUUID(), settings, note: note ?? null, maxUses, createdAt },
    expiresAt: addMs(createdAt, lifeSeconds === undefined ? USUAL_LIFE_MS : lifeSeconds * SECOND),
  };
  const tokenHash = await lookupHash(ctx, LINK_TOKEN, token);
  await insertLink(ctx.db, ctx.environment.id, { ...link, tokenHash });
  const { id: environmentId } = ctx.environment;
  const base = ctx.settings.connectUrl.replace(/(?<!\/)\/+$/, "");
  return {
    link: { ...link, environmentId, uses: 0, lastUsedAt: null, revokedAt: null },
    // After `#`, so that it appears in no log of a server or proxy.
    url: `${base}/l/#${token}`,
  };
}
