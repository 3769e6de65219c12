import { AppError, type EnvironmentContext } from "#foundation";
import { getIntegration, type Integration } from "#integrations";
import type { DeployedFunction, FunctionType } from "../deployed-function.ts";
import { listAllFunctions } from "../store.ts";

export interface FunctionName {
  readonly integrationKey: string;
  readonly name: string;
  /** Needed where functions of several types share the name. */
  readonly type?: FunctionType | undefined;
}

/** The functions of an integration, by type and name; throws not_found for an unknown integration. */
export async function listFunctionsOf(
  ctx: EnvironmentContext,
  integrationKey: string,
): Promise<{ integration: Integration; functions: DeployedFunction[] }> {
  const integration = await getIntegration(ctx, integrationKey, "not_found");
  const all = await listAllFunctions(ctx.db, ctx.environment.id);
  return { integration, functions: all.filter((fn) => fn.integrationId === integration.id) };
}

/** The one function of that name; throws not_found or ambiguous_function. */
export async function requireFunction(
  ctx: EnvironmentContext,
  { integrationKey, name, type }: FunctionName,
): Promise<{ integration: Integration; fn: DeployedFunction }> {
  const { integration, functions } = await listFunctionsOf(ctx, integrationKey);
  const matches = functions.filter(
    (fn) => fn.name === name && (type === undefined || fn.type === type),
  );
  const [fn] = matches;
  if (fn === undefined) {
    throw new AppError(
      "not_found",
      `The integration "${integrationKey}" has no ${type ?? "function"} "${name}"; list them with GET /integrations/{uniqueKey}/functions.`,
    );
  }
  if (matches.length === 1) return { integration, fn };
  const types = matches.map((match) => match.type);
  throw new AppError(
    "ambiguous_function",
    `"${name}" is the name of several functions; add \`type\`: ${types.join(" or ")}.`,
    { details: [{ matches: types.map((each) => ({ name, type: each })) }] },
  );
}
