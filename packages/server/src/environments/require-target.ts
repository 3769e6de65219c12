import {
  AppError,
  accountOf,
  type Environment,
  type EnvironmentContext,
  type EnvironmentId,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { findEnvironment } from "./store.ts";

export interface Target {
  /** As the caller sent it. */
  readonly environmentId: string | undefined;
  readonly sentIn: "body" | "query";
}

/**
 * The environment that a call is about: that of the key, or the one that a key of the account names.
 * Another's answers not_found like one that does not exist.
 */
export async function requireTarget(
  ctx: SystemContext & { readonly environment?: Environment },
  { environmentId, sentIn }: Target,
): Promise<EnvironmentContext> {
  const { actor, environment: own } = ctx;
  const wanted = environmentId?.toLowerCase();
  if (own !== undefined) {
    if (wanted === undefined || wanted === own.id) return withEnvironment(ctx, own);
    throw unknown(wanted);
  }
  if (wanted === undefined) {
    const message = "environment_id: a key of the account has to name the environment";
    const details = [{ code: "custom", message, path: ["environment_id"] }];
    const code = sentIn === "body" ? "invalid_body" : "invalid_query_params";
    throw new AppError(code, message, { details });
  }
  const found = await findEnvironment(ctx.db, toEnvironmentId(wanted));
  if (found === undefined || found.accountId !== accountOf(actor)) throw unknown(wanted);
  return withEnvironment(ctx, { id: found.id, name: found.name, accountId: found.accountId });
}

function unknown(id: string): AppError {
  return new AppError("not_found", `There is no environment ${id} that the caller may use.`);
}

// A UUID by the route's schema; the query decides whether it is an environment's.
export function toEnvironmentId(uuid: string): EnvironmentId {
  return uuid.toLowerCase() as EnvironmentId;
}
