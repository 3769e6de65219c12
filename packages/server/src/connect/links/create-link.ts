import { randomUUID } from "node:crypto";
import { creatorOf } from "#environments";
import { addMs, DAY, type EnvironmentContext, SECOND, type SystemContext } from "#foundation";
import { announceChange } from "#logs";
import { lookupHash } from "#vault";
import type { SessionSettings } from "../session.ts";
import { checkSession, invalidBody } from "../sessions/check-session.ts";
import {
  type ConnectLink,
  LINK_CODE,
  newLinkCode,
  newLinkToken,
  purposeOfToken,
  type Reconnected,
} from "./link.ts";
import { insertLinks, type NewLink } from "./store.ts";

const USUAL_LIFE_MS = 7 * DAY;

export interface LinkInput {
  readonly settings: SessionSettings;
  readonly note: string | undefined;
  readonly maxUses: number | undefined;
  readonly lifeSeconds: number | undefined;
  /** Whether a code is needed as well. */
  readonly withCode: boolean;
  /** The connection to authorize again; undefined: new ones are made. */
  readonly reconnects?: Reconnected | undefined;
}

export interface CreatedLink {
  readonly link: ConnectLink;
  /** Holds the token, which is stored only as a keyed hash. */
  readonly url: string;
  readonly code: string | null;
}

/** Makes a link; its token and code are shown once and stored only as keyed hashes. Throws invalid_body. */
export async function createLink(ctx: EnvironmentContext, input: LinkInput): Promise<CreatedLink> {
  // Who gets the link is not known by any login: without tags nobody knows whose connections come of it.
  if (Object.keys(input.settings.tags ?? {}).length === 0) {
    throw invalidBody(["tags"], "must name whose connections these will be");
  }
  await checkSession(ctx, input.settings, {});
  const { row, created } = await prepareLink(ctx, input);
  await insertLinks(ctx.db, ctx.environment.id, [row]);
  announceChange(ctx, ctx.environment.id, "connect-links");
  return created;
}

/** A link and its row, for the caller to store. */
export async function prepareLink(
  ctx: EnvironmentContext,
  { settings, note, maxUses = 1, lifeSeconds, withCode, reconnects }: LinkInput,
): Promise<{ readonly row: NewLink; readonly created: CreatedLink }> {
  const token = newLinkToken({ reconnects: reconnects !== undefined });
  const createdAt = ctx.clock.now();
  const code = withCode ? newLinkCode() : null;
  const link = {
    ...{ id: randomUUID(), settings, reconnects: reconnects ?? null, note: note ?? null },
    ...{ maxUses, createdAt, createdBy: creatorOf(ctx), needsCode: withCode },
    expiresAt: addMs(createdAt, lifeSeconds === undefined ? USUAL_LIFE_MS : lifeSeconds * SECOND),
  };
  const tokenHash = await lookupHash(ctx, purposeOfToken(token), token);
  const codeHash = code === null ? null : await hashCode(ctx, link.id, code);
  const { id: environmentId } = ctx.environment;
  const base = ctx.settings.connectUrl.replace(/(?<!\/)\/+$/, "");
  return {
    row: { ...link, tokenHash, codeHash },
    created: {
      link: { ...link, environmentId, uses: 0, lastUsedAt: null, revokedAt: null },
      // After `#`, so that it appears in no log of a server or proxy.
      url: `${base}/l/#${token}`,
      code,
    },
  };
}

/** Keyed, and of one link. */
export async function hashCode(ctx: SystemContext, linkId: string, code: string): Promise<Buffer> {
  return await lookupHash(ctx, LINK_CODE, `${linkId}:${code}`);
}
