import { type Role, roles } from "@jackfield/contract";
import { noteBefore } from "#audit";
import type { SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { getSecondFactorRoles, setSecondFactorRoles } from "./store.ts";

export async function presentSignInRules({ db }: SystemContext, accountId: string) {
  const held = await getSecondFactorRoles(db, accountId);
  return { second_factor_roles: roles.filter((role) => held.includes(role)) };
}

export async function changeSignInRules(
  ctx: SystemContext,
  accountId: string,
  { second_factor_roles: wanted }: { readonly second_factor_roles: readonly Role[] },
): Promise<void> {
  const held = roles.filter((role) => wanted.includes(role));
  await withTransaction(ctx, async (ctx) => {
    noteBefore(ctx, await presentSignInRules(ctx, accountId));
    await setSecondFactorRoles(ctx.db, accountId, held);
  });
}
