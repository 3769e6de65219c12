import type { accountRoutes, RouteOutput } from "@jackfield/contract";
import {
  type Account,
  findAccount,
  isFirstAccount,
  listAccountPage,
  updateAccountRow,
} from "#accounts";
import { noteBefore } from "#audit";
import { AppError, keysetCursor, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { RouteHandlers } from "#foundation/http";
import { addAccount } from "./accounts/add-account.ts";
import type { AccountErasure } from "./accounts/erasure/account-erasure.ts";
import { eraseAccount } from "./accounts/erasure/erase-account.ts";
import { findAccountErasure, listAccountErasureRows } from "./accounts/erasure/store.ts";
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
  deleteAccount: async (ctx, { params }) => {
    await requireInstallationOwner(ctx);
    return { data: presentErasure(await eraseAccount(ctx, params.accountId.toLowerCase())) };
  },
  listAccountErasures: async (ctx, { query: { limit = USUAL_PAGE, cursor } }) => {
    await requireInstallationOwner(ctx);
    const after = cursor === undefined ? undefined : cursors.read(cursor);
    const found = await listAccountErasureRows(ctx.db, { limit: limit + 1, after });
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return {
      data: shown.map(presentErasure),
      next_cursor: last === undefined ? null : cursors.write(last),
    };
  },
  getAccountErasure: async (ctx, { params }) => {
    await requireInstallationOwner(ctx);
    const found = await findAccountErasure(ctx.db, params.erasureId);
    if (found === undefined) throw new AppError("not_found", "No such erasure of an account.");
    return { data: presentErasure(found) };
  },
} satisfies RouteHandlers<typeof accountRoutes>;

function presentErasure(
  erasure: AccountErasure,
): RouteOutput<typeof accountRoutes.getAccountErasure>["data"] {
  const { id, accountId, counts, createdAt, endedAt } = erasure;
  return {
    ...{ id, account_id: accountId, state: endedAt === null ? "running" : "done" },
    erased: {
      environments: counts.environments ?? 0,
      api_keys: counts.api_keys ?? 0,
      users: counts.users ?? 0,
      log_operations: counts.log_operations ?? 0,
      log_messages: counts.log_messages ?? 0,
      audit_names: counts.audit_names ?? 0,
    },
    created_at: createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}

async function present(ctx: SystemContext, { id, name, rateLimitPerMinute, createdAt }: Account) {
  return {
    id,
    name,
    is_first: await isFirstAccount(ctx, id),
    rate_limit_per_minute: rateLimitPerMinute,
    created_at: createdAt.toISOString(),
  };
}
