import type { secondFactorRoutes } from "@jackfield/contract";
import { accountOf } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { requireUser } from "./require-user.ts";
import {
  beginTotp,
  confirmTotp,
  removeTotp,
  replaceRecoveryCodes,
} from "./second-factor/manage-totp.ts";
import { changeSignInRules, presentSignInRules } from "./second-factor/sign-in-rules.ts";
import { getChangeable } from "./users/change-user.ts";

export const secondFactorHandlers = {
  beginTotp: async (ctx) => ({ data: await beginTotp(ctx, requireUser(ctx).userId) }),
  confirmTotp: async (ctx, { body }) => ({
    data: { recovery_codes: await confirmTotp(ctx, requireUser(ctx), body.code) },
  }),
  replaceRecoveryCodes: async (ctx) => ({
    data: { recovery_codes: await replaceRecoveryCodes(ctx, requireUser(ctx).userId) },
  }),
  deleteTotp: async (ctx) => {
    await removeTotp(ctx, requireUser(ctx).userId);
    return undefined;
  },
  deleteUserTotp: async (ctx, { params }) => {
    const { id } = await getChangeable(ctx, params.id.toLowerCase());
    await removeTotp(ctx, id);
    return undefined;
  },
  getSignInRules: async (ctx) => ({ data: await presentSignInRules(ctx, accountOf(ctx.actor)) }),
  setSignInRules: async (ctx, { body }) => {
    const accountId = accountOf(ctx.actor);
    await changeSignInRules(ctx, accountId, body);
    return { data: await presentSignInRules(ctx, accountId) };
  },
} satisfies RouteHandlers<typeof secondFactorRoutes>;
