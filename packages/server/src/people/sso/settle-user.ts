import { randomUUID } from "node:crypto";
import { isFirstAccount, lockAccount } from "#accounts";
import { AppError, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { toGrants } from "../users/grants.ts";
import {
  claimOwnerless,
  findUser,
  findUserByEmail,
  getUser,
  insertUser,
  listGrants,
  markSignedIn,
  replaceGrants,
  type UserRow,
} from "../users/store.ts";
import { findIdentity, insertIdentity, type ProviderRow } from "./store.ts";

export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/**
 * The user of an ID token: known by its subject, else by a verified address, else added where the provider adds users.
 * Rights follow from groups where these are configured, but for owners. Throws sign_in_failed with the reason, which
 * the identity provider's own people may know.
 */
export async function settleUser(
  ctx: SystemContext,
  provider: ProviderRow,
  claims: Claims,
): Promise<UserRow> {
  const { issuer, accountId } = provider;
  return await withTransaction(ctx, async (ctx) => {
    await lockAccount(ctx.db, accountId);
    const now = ctx.clock.now();
    const identity = { issuer, subject: claims.sub };
    const knownId = await findIdentity(ctx.db, identity);
    const known = knownId === undefined ? undefined : await findUser(ctx.db, knownId);
    const namedOwner = await claimAsOwner(ctx, provider, claims);
    const user =
      known ??
      (await findByEmail(ctx, provider, claims)) ??
      (namedOwner === undefined
        ? await add(ctx, provider, claims)
        : await insert(ctx, provider, { claims, email: namedOwner }));
    if (namedOwner !== undefined) {
      await replaceGrants(ctx.db, user.id, {
        grants: [{ role: "owner", environments: "all" }],
        now,
      });
    }
    if (user.accountId !== accountId || user.disabledAt !== null)
      throw refuse("The user is disabled.");
    if (known === undefined) {
      await insertIdentity(ctx.db, { ...identity, userId: user.id, createdAt: now });
    }
    await followGroups(ctx, provider, { user, claims });
    await markSignedIn(ctx.db, user.id, now);
    return await getUser(ctx.db, user.id);
  });
}

async function findByEmail(
  ctx: SystemContext,
  { accountId }: ProviderRow,
  { email, email_verified: isVerified }: Claims,
): Promise<UserRow | undefined> {
  // An address that nobody has checked may be another's.
  if (typeof email !== "string" || isVerified !== true) return undefined;
  const user = await findUserByEmail(ctx.db, email);
  return user?.accountId === accountId ? user : undefined;
}

/** The address of who is named as the first owner, while there is none; somebody else's provider names nobody. */
async function claimAsOwner(
  ctx: SystemContext,
  { accountId }: ProviderRow,
  { email, email_verified: isVerified }: Claims,
): Promise<string | undefined> {
  const { ownerEmail } = ctx.settings;
  if (ownerEmail === undefined || typeof email !== "string" || isVerified !== true)
    return undefined;
  if (email.toLowerCase() !== ownerEmail.toLowerCase()) return undefined;
  if (!(await isFirstAccount(ctx, accountId))) return undefined;
  return (await claimOwnerless(ctx.db, ctx.clock.now())) ? email : undefined;
}

async function add(ctx: SystemContext, provider: ProviderRow, claims: Claims): Promise<UserRow> {
  const { email, email_verified: isVerified } = claims;
  if (!provider.addsUsers) throw refuse("Nobody has invited this person.");
  if (typeof email !== "string" || isVerified !== true) {
    throw refuse("The identity provider names no verified e-mail address.");
  }
  const domain = email.toLowerCase().split("@").at(-1) ?? "";
  const { allowedDomains } = provider;
  if (allowedDomains.length > 0 && !allowedDomains.includes(domain)) {
    throw refuse(`People of ${domain} are not added here.`);
  }
  const user = await insert(ctx, provider, { claims, email });
  const grants = toGrants(provider.defaultGrants);
  if (provider.groupClaim === null && grants.length > 0) {
    await replaceGrants(ctx.db, user.id, { grants, now: user.createdAt });
  }
  return user;
}

async function insert(
  ctx: SystemContext,
  { accountId }: ProviderRow,
  { claims: { name }, email }: { claims: Claims; email: string },
): Promise<UserRow> {
  const id = randomUUID();
  const createdAt = ctx.clock.now();
  const shownName =
    typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, 200) : email;
  if (!(await insertUser(ctx.db, { id, accountId, email, name: shownName, createdAt }))) {
    throw refuse("The e-mail address is another user's.");
  }
  return await getUser(ctx.db, id);
}

async function followGroups(
  ctx: SystemContext,
  { groupClaim, groupGrants }: ProviderRow,
  { user, claims }: { user: UserRow; claims: Claims },
): Promise<void> {
  if (groupClaim === null) return;
  const held = await listGrants(ctx.db, user.id);
  if (held.some(({ role }) => role === "owner")) return;
  const groups = new Set([claims[groupClaim]].flat().map(String));
  const grants = toGrants(
    groupGrants.filter(({ group }) => groups.has(group)).flatMap((each) => each.grants),
  );
  if (grants.length === 0) throw refuse("None of the person's groups may sign in here.");
  const wanted = JSON.stringify(grants);
  const current = held.map(({ role, environments, environmentId, runsCode }) => ({
    role,
    environments,
    environmentId: environmentId ?? undefined,
    runsCode,
  }));
  if (JSON.stringify(current) === wanted) return;
  await replaceGrants(ctx.db, user.id, { grants, now: ctx.clock.now() });
}

function refuse(reason: string): AppError {
  return new AppError("sign_in_failed", reason);
}
