import type { Scope } from "@jackfield/contract";
import { lockAccount } from "#accounts";
import { noteBefore } from "#audit";
import {
  type Actor,
  AppError,
  accountOf,
  type EnvironmentId,
  holdsScope,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import {
  type EnvironmentSummary,
  listEnvironments,
  rememberName,
  updateEnvironmentRow,
} from "./store.ts";

export interface EnvironmentChange {
  readonly name: string | undefined;
  readonly isProduction: boolean | undefined;
}

/**
 * Changes what is given of an environment of the account; its old name is remembered. Throws not_found, conflict for a name in use, and
 * forbidden where the caller lacks the scope of a field.
 */
export async function updateEnvironment(
  ctx: SystemContext,
  id: EnvironmentId,
  { name, isProduction }: EnvironmentChange,
): Promise<EnvironmentSummary> {
  const { actor } = ctx;
  const accountId = accountOf(actor);
  if (name !== undefined) requireScope(actor, "account:environments:update", "name");
  if (isProduction !== undefined) {
    requireScope(actor, "account:environments:set_production", "is_production");
  }
  const changed = await withTransaction(ctx, async (ctx) => {
    await lockAccount(ctx.db, accountId);
    const known = await listEnvironments(ctx.db, accountId);
    const found = known.find((each) => each.id === id);
    if (found === undefined) {
      throw new AppError("not_found", `The account has no environment ${id}.`);
    }
    if (known.some((each) => each.id !== id && each.name === name)) {
      throw new AppError("conflict", `There is an environment named "${name}" already.`);
    }
    noteBefore(ctx, { name: found.name, is_production: found.isProduction });
    const row = { name: name ?? found.name, isProduction: isProduction ?? found.isProduction };
    await updateEnvironmentRow(ctx.db, id, row);
    if (row.name !== found.name) {
      const renamedAt = ctx.clock.now();
      await rememberName(ctx.db, { accountId, name: found.name, environmentId: id, renamedAt });
    }
    return { ...found, ...row };
  });
  recordChange(withEnvironment(ctx, changed), {
    message: `Change the environment ${changed.name}`,
    meta: { name: changed.name, is_production: changed.isProduction },
  });
  return changed;
}

function requireScope(actor: Actor, scope: Scope, field: string): void {
  if (holdsScope(actor, scope)) return;
  const caller = actor.kind === "user" ? "Your role" : "The API key";
  throw new AppError("forbidden", `${caller} lacks the scope \`${scope}\`, which ${field} needs.`);
}
