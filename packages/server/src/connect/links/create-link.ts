import { randomUUID } from "node:crypto";
import { addMs, DAY, type EnvironmentContext, SECOND, type SystemContext } from "#platform";
import { lookupHash } from "#vault";
import type { SessionSettings } from "../session.ts";
import { checkSession, invalidBody } from "../sessions/check-session.ts";
import { type ConnectLink, LINK_CODE, LINK_TOKEN, newLinkCode, newLinkToken } from "./link.ts";
import { insertLink } from "./store.ts";

const USUAL_LIFE_MS = 7 * DAY;

export interface LinkInput {
  readonly settings: SessionSettings;
  readonly note: string | undefined;
  readonly maxUses: number | undefined;
  readonly lifeSeconds: number | undefined;
  /** Whether a code is needed as well. */
  readonly withCode: boolean;
}

/** Makes a link; its token and code are shown once and stored only as keyed hashes. Throws invalid_body. */
export async function createLink(
  ctx: EnvironmentContext,
  { settings, note, maxUses = 1, lifeSeconds, withCode }: LinkInput,
): Promise<{ link: ConnectLink; url: string; code: string | null }> {
  // Who gets the link is not known by any login: without tags nobody knows whose connections come of it.
  if (Object.keys(settings.tags ?? {}).length === 0) {
    throw invalidBody(["tags"], "must name whose connections these will be");
  }
  await checkSession(ctx, settings, {});
  const token = newLinkToken();
  const createdAt = ctx.clock.now();
  const code = withCode ? newLinkCode() : null;
  const link = {
    ...{ id: randomUUID(), settings, note: note ?? null, maxUses, createdAt },
    needsCode: withCode,
    expiresAt: addMs(createdAt, lifeSeconds === undefined ? USUAL_LIFE_MS : lifeSeconds * SECOND),
  };
  const tokenHash = await lookupHash(ctx, LINK_TOKEN, token);
  const codeHash = code === null ? null : await hashCode(ctx, link.id, code);
  await insertLink(ctx.db, ctx.environment.id, { ...link, tokenHash, codeHash });
  const { id: environmentId } = ctx.environment;
  const base = ctx.settings.connectUrl.replace(/(?<!\/)\/+$/, "");
  return {
    link: { ...link, environmentId, uses: 0, lastUsedAt: null, revokedAt: null },
    // After `#`, so that it appears in no log of a server or proxy.
    url: `${base}/l/#${token}`,
    code,
  };
}

/** Keyed, and of one link. */
export async function hashCode(ctx: SystemContext, linkId: string, code: string): Promise<Buffer> {
  return await lookupHash(ctx, LINK_CODE, `${linkId}:${code}`);
}
