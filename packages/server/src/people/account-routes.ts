import type { accountRoutes } from "@jackfield/contract";
import {
  type Account,
  findAccount,
  isFirstAccount,
  listAccountPage,
  updateAccountRow,
} from "#accounts";
import { noteBefore } from "#audit";
import { AppError, keysetCursor, type SystemContext } from "#platform";
import { withTransaction } from "#platform/db";
import type { RouteHandlers } from "#platform/http";
import { addAccount } from "./accounts/add-account.ts";
import { requireInstallationOwner } from "./accounts/require-installation-owner.ts";
import { presentLink } from "./links/present-link.ts";

const cursors = keysetCursor({ radix: 36, separator: "." });
const USUAL_PAGE = 100;

export const accountHandlers = {
  listAccounts: async (ctx, { query: { limit = USUAL_PAGE, cursor } }) => {
    await requireInstallationOwner(ctx);
    const after = cursor === undefined ? undefined : cursors.read(cursor);
    const found = await listAccountPage(ctx.db, { limit: limit + 1, after });
    const accounts = found.slice(0, limit);
    const last = accounts.at(-1);
    return {
      data: await Promise.all(accounts.map(async (account) => await present(ctx, account))),
      next_cursor: found.length > limit && last !== undefined ? cursors.write(last) : null,
    };
  },
  createAccount: async (ctx, { body }) => {
    await requireInstallationOwner(ctx);
    const { name, rate_limit_per_minute: rateLimitPerMinute = null, owner } = body;
    const added = await addAccount(ctx, { name, rateLimitPerMinute, owner });
    return {
      data: {
        account: await present(ctx, added.account),
        api_key: added.key,
        ...(added.link && { link: presentLink(added.link) }),
      },
    };
  },
  updateAccount: async (ctx, { params, body }) => {
    await requireInstallationOwner(ctx);
    const id = params.accountId.toLowerCase();
    const { name, rate_limit_per_minute: rateLimitPerMinute } = body;
    const change = {
      ...(name !== undefined && { name }),
      ...(rateLimitPerMinute !== undefined && { rateLimitPerMinute }),
    };
    const account = await withTransaction(ctx, async (ctx) => {
      const known = await findAccount(ctx.db, id);
      noteBefore(ctx, { name: known?.name, rate_limit_per_minute: known?.rateLimitPerMinute });
      return await updateAccountRow(ctx.db, id, change);
    });
    if (account === undefined) {
      throw new AppError("not_found", `The installation has no account ${id}.`);
    }
    return { data: await present(ctx, account) };
  },
} satisfies RouteHandlers<typeof accountRoutes>;

async function present(ctx: SystemContext, { id, name, rateLimitPerMinute, createdAt }: Account) {
  return {
    id,
    name,
    is_first: await isFirstAccount(ctx, id),
    rate_limit_per_minute: rateLimitPerMinute,
    created_at: createdAt.toISOString(),
  };
}
