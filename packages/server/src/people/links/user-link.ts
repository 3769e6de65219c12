import { randomUUID } from "node:crypto";
import { addMs, HOUR, MINUTE, type SystemContext } from "#platform";
import { lookupHash } from "#vault";
import type { UserRow } from "../users/store.ts";
import { newLinkToken, ONE_TIME_LINK } from "./setup-link.ts";
import { endLinksOf, insertLink } from "./store.ts";

export interface NewLink {
  readonly url: string;
  readonly expiresAt: Date;
}

const COPIED_LIFE_MS = 48 * HOUR;
const OPENED_LIFE_MS = 2 * MINUTE;

type LinkContext = Pick<SystemContext, "db" | "clock" | "keys">;

/** A link of 48 hours by which a user chooses how to sign in; it ends those made before. */
export async function newUserLink(
  ctx: LinkContext & Pick<SystemContext, "settings">,
  user: UserRow,
): Promise<NewLink> {
  return await newResetLink(ctx, user, ctx.settings.dashboardUrl);
}

/** The same where there are no settings of a server. */
export async function newResetLink(
  ctx: LinkContext,
  user: UserRow,
  dashboardUrl: string,
): Promise<NewLink> {
  const purpose = user.lastSignInAt === null ? "invitation" : "reset";
  return await insertUserLink(ctx, user, {
    purpose,
    lifeMs: COPIED_LIFE_MS,
    page: `${dashboardUrl}/invite`,
  });
}

/** A link of two minutes that signs a user in, for who can read the database and the master key. */
export async function newOpenLink(
  ctx: LinkContext,
  user: UserRow,
  dashboardUrl: string,
): Promise<NewLink> {
  const page = `${dashboardUrl}/sign-in`;
  return await insertUserLink(ctx, user, { purpose: "sign-in", lifeMs: OPENED_LIFE_MS, page });
}

async function insertUserLink(
  ctx: LinkContext,
  { id: userId, accountId }: UserRow,
  wanted: { purpose: "invitation" | "reset" | "sign-in"; lifeMs: number; page: string },
): Promise<NewLink> {
  const token = newLinkToken();
  const now = ctx.clock.now();
  const expiresAt = addMs(now, wanted.lifeMs);
  await endLinksOf(ctx.db, userId, now);
  await insertLink(ctx.db, {
    id: randomUUID(),
    tokenHash: await lookupHash(ctx, ONE_TIME_LINK, token),
    purpose: wanted.purpose,
    accountId,
    userId,
    createdAt: now,
    expiresAt,
  });
  return { url: `${wanted.page}#${token}`, expiresAt };
}
