import assert from "node:assert";
import { hasScope, type Scope } from "@jackfield/contract";
import { lockAccount } from "#accounts";
import { recordChange } from "#logs";
import { AppError, type EnvironmentId, type SystemContext, withEnvironment } from "#platform";
import { withTransaction } from "#platform/db";
import { type EnvironmentSummary, listEnvironments, updateEnvironmentRow } from "./store.ts";

export interface EnvironmentChange {
  readonly name: string | undefined;
  readonly isProduction: boolean | undefined;
}

/**
 * Changes what is given of an environment of the account. Throws not_found, conflict for a name in use, and
 * forbidden where the caller lacks the scope of a field.
 */
export async function updateEnvironment(
  ctx: SystemContext,
  id: EnvironmentId,
  { name, isProduction }: EnvironmentChange,
): Promise<EnvironmentSummary> {
  const { actor } = ctx;
  assert(actor.kind === "key");
  if (name !== undefined) requireScope(actor.scopes, "account:environments:update", "name");
  if (isProduction !== undefined) {
    requireScope(actor.scopes, "account:environments:set_production", "is_production");
  }
  const changed = await withTransaction(ctx, async (ctx) => {
    await lockAccount(ctx.db, actor.accountId);
    const known = await listEnvironments(ctx.db, actor.accountId);
    const found = known.find((each) => each.id === id);
    if (found === undefined) {
      throw new AppError("not_found", `The account has no environment ${id}.`);
    }
    if (known.some((each) => each.id !== id && each.name === name)) {
      throw new AppError("conflict", `There is an environment named "${name}" already.`);
    }
    const row = { name: name ?? found.name, isProduction: isProduction ?? found.isProduction };
    await updateEnvironmentRow(ctx.db, id, row);
    return { ...found, ...row };
  });
  recordChange(withEnvironment(ctx, changed), {
    message: `Change the environment ${changed.name}`,
    meta: { name: changed.name, is_production: changed.isProduction },
  });
  return changed;
}

function requireScope(held: readonly string[], scope: Scope, field: string): void {
  if (hasScope(held, scope)) return;
  throw new AppError(
    "forbidden",
    `The API key lacks the scope \`${scope}\`, which ${field} needs.`,
  );
}
