import { randomUUID } from "node:crypto";
import { addMs, HOUR, MINUTE, type SystemContext } from "#foundation";
import { lookupHash } from "#vault";
import type { UserRow } from "../users/store.ts";
import { newLinkToken, ONE_TIME_LINK } from "./setup-link.ts";
import { endLinksOf, insertLink, type LinkRow } from "./store.ts";

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
  return await newResetLink(ctx, user, ctx.settings.dashboardUrl, { dropsSecondFactor: false });
}

/** The same where there are no settings of a server; `dropsSecondFactor` is for the operator alone. */
export async function newResetLink(
  ctx: LinkContext,
  user: UserRow,
  dashboardUrl: string,
  { dropsSecondFactor }: { dropsSecondFactor: boolean },
): Promise<NewLink> {
  const purpose = user.lastSignInAt === null ? "invitation" : "reset";
  return await insertUserLink(ctx, user, {
    purpose,
    lifeMs: COPIED_LIFE_MS,
    page: `${dashboardUrl}/invite`,
    dropsSecondFactor,
  });
}

/** A link of two minutes that signs a user in, for who can read the database and the master key. */
export async function newOpenLink(
  ctx: LinkContext,
  user: UserRow,
  dashboardUrl: string,
): Promise<NewLink> {
  const page = `${dashboardUrl}/sign-in`;
  const wanted = { purpose: "sign-in", lifeMs: OPENED_LIFE_MS, page } as const;
  return await insertUserLink(ctx, user, { ...wanted, dropsSecondFactor: false });
}

async function insertUserLink(
  ctx: LinkContext,
  { id: userId, accountId }: UserRow,
  wanted: Pick<LinkRow, "dropsSecondFactor"> & {
    purpose: "invitation" | "reset" | "sign-in";
    lifeMs: number;
    page: string;
  },
): Promise<NewLink> {
  const token = newLinkToken();
  const now = ctx.clock.now();
  const expiresAt = addMs(now, wanted.lifeMs);
  await endLinksOf(ctx.db, userId, now);
  await insertLink(ctx.db, {
    id: randomUUID(),
    tokenHash: await lookupHash(ctx, ONE_TIME_LINK, token),
    purpose: wanted.purpose,
    dropsSecondFactor: wanted.dropsSecondFactor,
    accountId,
    userId,
    createdAt: now,
    expiresAt,
  });
  return { url: `${wanted.page}#${token}`, expiresAt };
}
