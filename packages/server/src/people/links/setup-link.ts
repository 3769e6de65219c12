import { randomBytes, randomUUID } from "node:crypto";
import { addMs, HOUR, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { lookupHash } from "#vault";
import { hasOwner } from "../users/store.ts";
import { endSetupLinks, insertLink } from "./store.ts";

export const ONE_TIME_LINK = "one_time_link";

const SETUP_LIFE_MS = 24 * HOUR;

/** 256 bits. */
export function newLinkToken(): string {
  return randomBytes(32).toString("base64url");
}

type LinkContext = Pick<SystemContext, "db" | "clock" | "keys">;

interface SetupLinkRequest {
  readonly accountId: string;
  /** Without a trailing slash. */
  readonly dashboardUrl: string;
  /** Whether earlier links end; else each works until the first is used. */
  readonly replacesOthers: boolean;
}

/**
 * A setup link of 24 hours, whose holder becomes the first owner; undefined when there is an owner already. The secret
 * is in the fragment, which no server and no log of one sees.
 */
export async function newSetupLink(
  ctx: LinkContext,
  { accountId, dashboardUrl, replacesOthers }: SetupLinkRequest,
): Promise<string | undefined> {
  const token = newLinkToken();
  const tokenHash = await lookupHash(ctx, ONE_TIME_LINK, token);
  const now = ctx.clock.now();
  const isMade = await withTransaction(ctx, async (ctx) => {
    if (await hasOwner(ctx.db)) return false;
    if (replacesOthers) await endSetupLinks(ctx.db, now);
    const times = { createdAt: now, expiresAt: addMs(now, SETUP_LIFE_MS) };
    const link = { id: randomUUID(), tokenHash, purpose: "setup" as const, accountId };
    await insertLink(ctx.db, { ...link, ...times, userId: null });
    return true;
  });
  return isMade ? `${dashboardUrl}/setup#${token}` : undefined;
}
