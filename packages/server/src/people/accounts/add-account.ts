import { randomUUID } from "node:crypto";
import { type Account, countAccounts, insertAccount } from "#accounts";
import { AppError, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { type NewLink, newUserLink } from "../links/user-link.ts";
import { getUser, insertUser, replaceGrants } from "../users/store.ts";
import { fillAccount } from "./fill-account.ts";

const MOST_ACCOUNTS = 10_000;

export interface NewAccount {
  readonly name: string;
  readonly rateLimitPerMinute: number | null;
  readonly owner: { readonly email: string; readonly name: string } | undefined;
}

export interface AddedAccount {
  readonly account: Account;
  /** Stored nowhere. */
  readonly key: string;
  readonly link: NewLink | undefined;
}

/** Throws conflict for an address in use, resource_capped at 10,000 accounts. */
export async function addAccount(
  ctx: SystemContext,
  { name, rateLimitPerMinute, owner }: NewAccount,
): Promise<AddedAccount> {
  return await withTransaction(ctx, async (ctx) => {
    if ((await countAccounts(ctx.db)) >= MOST_ACCOUNTS) {
      throw new AppError(
        "resource_capped",
        `The installation has ${MOST_ACCOUNTS} accounts, which is the limit.`,
      );
    }
    const account = { id: randomUUID(), name, rateLimitPerMinute, createdAt: ctx.clock.now() };
    await insertAccount(ctx.db, account);
    const { account: key } = await fillAccount(ctx, account.id);
    const link = owner && (await addOwner(ctx, account, owner));
    return { account, key, link };
  });
}

async function addOwner(
  ctx: SystemContext,
  { id: accountId, createdAt }: Account,
  owner: { readonly email: string; readonly name: string },
): Promise<NewLink> {
  const id = randomUUID();
  if (!(await insertUser(ctx.db, { id, accountId, ...owner, createdAt }))) {
    throw new AppError("conflict", `There is a user ${owner.email} already.`);
  }
  const grants = [{ role: "owner", environments: "all" }] as const;
  await replaceGrants(ctx.db, id, { grants, now: createdAt });
  return await newUserLink(ctx, await getUser(ctx.db, id));
}
