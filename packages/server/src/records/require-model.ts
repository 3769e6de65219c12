import { listModels } from "#functions";
import { type EnvironmentContext, nearestName } from "#platform";
import { invalidFields } from "#platform/validation";

/** So many models are named when none is near; the rest is counted. */
const NAMED = 5;

/** Throws when no deployed sync of the integration saves the model, which may be misspelled. */
export async function requireModel(
  ctx: EnvironmentContext,
  wanted: { integration: { readonly id: number; readonly uniqueKey: string }; model: string },
): Promise<void> {
  const { integration, model } = wanted;
  const known = await listModels(ctx, { integration });
  if (known.includes(model)) return;
  const message = `names a model that no sync of the integration "${integration.uniqueKey}" saves; ${suggest(model, known)}`;
  throw invalidFields("invalid_query_params", [{ path: ["model"], message }]);
}

function suggest(model: string, known: readonly string[]): string {
  const nearest = nearestName(model, known);
  if (nearest !== undefined) return `did you mean \`${nearest}\`?`;
  if (known.length === 0) return "deploy a sync first";
  const named = known.slice(0, NAMED).map((name) => `\`${name}\``);
  const rest = known.length - named.length;
  return `its models are ${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
