import type { RouteOutput, tapeRoutes } from "@jackfield/contract";
import { tapeLimits } from "@jackfield/contract";
import { AppError, addMs, type EnvironmentContext, HOUR, invalidFields } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { Integration } from "#integrations";
import { recordChange } from "#logs";
import { type FunctionName, requireFunction } from "../deployed/require-function.ts";
import type { DeployedFunction } from "../deployed-function.ts";
import { deleteRule, listRuleRows, upsertRule } from "./store.ts";
import type { TapeRule } from "./tape-rule.ts";

export type PresentedRule = RouteOutput<typeof tapeRoutes.setTapeRule>["data"];

interface Named {
  readonly fn: Pick<DeployedFunction, "id" | "name" | "type">;
  readonly integration: Pick<Integration, "id" | "uniqueKey" | "provider">;
}

/** Records runs of a function until the rule ends; throws resource_capped where the environment has too many rules. */
export async function setTapeRule(
  ctx: EnvironmentContext,
  {
    sample = 0,
    nextFailure = false,
    hours = tapeLimits.ruleHours,
    ...name
  }: FunctionName & {
    readonly sample: number | undefined;
    readonly nextFailure: boolean | undefined;
    readonly hours: number | undefined;
  },
): Promise<PresentedRule> {
  if (sample === 0 && !nextFailure) {
    const message = "is 0, and `next_failure` is not set: nothing would be recorded";
    throw invalidFields("invalid_body", [{ path: ["sample"], message }]);
  }
  const named = await requireFunction(ctx, name);
  const createdAt = ctx.clock.now();
  const functionId = named.fn.id;
  const endsAt = addMs(createdAt, hours * HOUR);
  const rule = { functionId, sample, nextFailure, createdAt, endsAt };
  await withTransaction(ctx, async ({ db, environment: { id } }) => {
    const known = await listRuleRows(db, id, createdAt);
    const others = known.filter((each) => each.functionId !== functionId);
    if (others.length >= tapeLimits.rules) {
      const message = `The environment has ${tapeLimits.rules} tape rules already; end one first.`;
      throw new AppError("resource_capped", message);
    }
    await upsertRule(db, id, rule);
  });
  const meta = { sample, next_failure: nextFailure, ends_at: endsAt.toISOString() };
  note(ctx, named, { message: `Record runs of the ${named.fn.type} ${named.fn.name}`, meta });
  return presentRule(rule, named);
}

export async function endTapeRule(ctx: EnvironmentContext, name: FunctionName): Promise<void> {
  const named = await requireFunction(ctx, name);
  await withTransaction(ctx, async ({ db, environment: { id } }) => {
    await deleteRule(db, id, named.fn.id);
  });
  note(ctx, named, { message: `Stop recording runs of the ${named.fn.type} ${named.fn.name}` });
}

export function presentRule(rule: TapeRule, { fn, integration }: Named): PresentedRule {
  return {
    provider_config_key: integration.uniqueKey,
    function: fn.name,
    type: fn.type,
    sample: rule.sample,
    next_failure: rule.nextFailure,
    ends_at: rule.endsAt.toISOString(),
    created_at: rule.createdAt.toISOString(),
  };
}

function note(
  ctx: EnvironmentContext,
  { fn, integration }: Named,
  change: { message: string; meta?: Readonly<Record<string, unknown>> },
): void {
  const { id, uniqueKey, provider } = integration;
  const subject = {
    integration: { id, name: uniqueKey, provider },
    function: { id: fn.id, name: fn.name },
  };
  recordChange(ctx, { ...change, subject });
}
