import type { functionRoutes, RouteOutput } from "@jackfield/contract";
import { UserError } from "../user-error.ts";
import type { Platform } from "./call-platform.ts";
import { readAgentTools } from "./read-agent-tools.ts";

type Deployed = RouteOutput<typeof functionRoutes.deployFunctions>;

/**
 * What the deployed actions take in a model's context as tools, and all tools together. Nothing where the key may not
 * read tools: the deployment is done.
 */
export async function presentToolCosts(platform: Platform, deployed: Deployed): Promise<string[]> {
  const actions = new Set(
    deployed.flatMap(({ type, providerConfigKey, name }) =>
      type === "action" ? [`${providerConfigKey}/${name}`] : [],
    ),
  );
  if (actions.size === 0) return [];
  const tools = await readTools(platform);
  const own = tools?.data.filter((tool) => actions.has(`${tool.integration}/${tool.action}`)) ?? [];
  if (tools === undefined || own.length === 0) return [];
  const rows = own
    .toSorted((a, b) => b.tokens - a.tokens)
    .map(({ integration, action, tokens, warnings }) => {
      const more = warnings.length === 0 ? "" : `: ${warnings.join(", ").replaceAll("_", " ")}`;
      return `  ${String(tokens).padStart(6)} ${integration}/${action}${more}`;
    });
  return [
    "Tokens in a model's context, as tools:",
    ...rows.slice(0, SHOWN),
    ...(rows.length > SHOWN ? [`  and ${rows.length - SHOWN} more`] : []),
    `  ${String(tools.tokens).padStart(6)} all ${tools.total} tools of the environment`,
  ];
}

const SHOWN = 20;

async function readTools(platform: Platform) {
  try {
    // Actions come first.
    return await readAgentTools(platform, { until: ({ source }) => source !== "action" });
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
