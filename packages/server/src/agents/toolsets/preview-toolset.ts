import type { RouteOutput, toolsetRoutes } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import { getIntegration } from "#integrations";
import { API_ACTION } from "../api-calls/api-action.ts";
import { effectOfCall } from "../api-calls/api-tool.ts";
import { findDecidingRule, toParts } from "../api-calls/path-rules.ts";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import {
  getCatalogue,
  listSessionTools,
  mayCall,
  type ToolCatalogue,
  withEffect,
} from "../catalogue/tool-catalogue.ts";
import { modeOf, tokensOfMode } from "../serving/mode.ts";
import { type ApiMethod, effectsOf, integrationsOf, type ToolsetSettings } from "./toolset.ts";
import { explainVerdict } from "./verdict.ts";

type Preview = RouteOutput<typeof toolsetRoutes.previewToolset>["data"];

export interface PreviewRequest {
  readonly integration: string;
  readonly method: ApiMethod;
  readonly path: string;
}

/** Of each list of an answer. */
const MOST_SHOWN = 1000;

/** What sessions of a toolset could do that holds this; throws unknown_provider_config. */
export async function previewToolset(
  ctx: EnvironmentContext,
  { settings: given, requests }: { settings: ToolsetSettings; requests: readonly PreviewRequest[] },
): Promise<Preview> {
  const settings = { ...given, policy: given.policy ?? { preset: "careful" as const } };
  for (const key of integrationsOf(settings)) await getIntegration(ctx, key);
  const catalogue = await getCatalogue(ctx);
  const tools = listSessionTools(catalogue, heldBy(settings));
  const mode = modeOf(settings, tools);
  const names = new Set(tools.map(({ name }) => name));
  return {
    ...{ mode, count: tools.length, tokens: tokensOfMode(mode, tools, settings) },
    tokens_of_tools: tools.reduce((sum, { tokens }) => sum + tokens, 0),
    can_send: tools.some(({ sends }) => sends),
    tools: tools.slice(0, MOST_SHOWN).map((tool) => presentTool(settings, tool)),
    left_out: listLeftOut(catalogue, settings, names).slice(0, MOST_SHOWN),
    unknown: listUnknown(catalogue, settings),
    pinned_missing: (settings.pinned ?? []).filter((name) => !names.has(name)),
    requests: await Promise.all(
      requests.map(async (request) => await previewRequest(ctx, settings, request)),
    ),
  };
}

function heldBy(settings: ToolsetSettings) {
  return { settings: [settings, settings] as const, policy: {} };
}

function presentTool({ policy }: ToolsetSettings, tool: CatalogueTool): Preview["tools"][number] {
  const { name, integration, action, source, title, summary, effect, tokens, sends } = tool;
  const { verdict, rule = null } = explainVerdict(policy, tool);
  return {
    ...{ name, integration, action, source, description: summary, effect, tokens },
    ...(title === undefined ? {} : { title }),
    ...{ can_send: sends, verdict, rule },
  };
}

/** Tools that `tools` and `api` select, and that sessions lack all the same. */
function listLeftOut(
  { tools }: ToolCatalogue,
  settings: ToolsetSettings,
  names: ReadonlySet<string>,
): Preview["left_out"] {
  const selected = heldBy({ ...settings, effects: undefined, policy: undefined });
  const ofEffects = heldBy({ ...settings, policy: undefined });
  return [...tools.values()]
    .filter((tool) => !names.has(tool.name) && mayCall(selected, tool))
    .map((tool) => ({
      ...{ name: tool.name, integration: tool.integration, action: tool.action },
      ...{ effect: tool.effect, reason: mayCall(ofEffects, tool) ? "policy" : "effects" },
    }));
}

function listUnknown({ tools }: ToolCatalogue, settings: ToolsetSettings): Preview["unknown"] {
  const known = new Set(
    [...tools.values()].map(({ integration, action }) => `${integration} ${action}`),
  );
  return settings.tools.flatMap(({ integration, actions = [] }) =>
    actions
      .filter((action) => !known.has(`${integration} ${action}`))
      .map((action) => `${integration}__${action}`),
  );
}

async function previewRequest(
  ctx: EnvironmentContext,
  settings: ToolsetSettings,
  request: PreviewRequest,
): Promise<Preview["requests"][number]> {
  const { method, path } = request;
  const integration = await getIntegration(ctx, request.integration);
  const effect = effectOfCall(integration, { method, path });
  const tool = { source: "api", integration: request.integration, action: API_ACTION } as const;
  const call = withEffect({ ...tool, effect, sends: false }, effect);
  const selection = settings.api?.find((each) => each.integration === request.integration);
  const parts = toParts(path);
  const decidedBy =
    selection === undefined || parts === undefined
      ? undefined
      : findDecidingRule(selection, { method, parts });
  const { verdict, rule = null } = explainVerdict(settings.policy, call);
  const reason = reasonOf();
  return {
    ...{ ...request, allowed: reason === "allowed", reason, decided_by: decidedBy ?? null },
    ...{ effect, verdict, rule },
  };

  function reasonOf(): Preview["requests"][number]["reason"] {
    if (selection === undefined) return "no_api";
    if (parts === undefined) return "ambiguous_path";
    if (decidedBy === undefined) return "not_named";
    if (decidedBy.list === "deny") return "denied";
    if (!effectsOf(settings).includes(effect)) return "effects";
    return verdict === "deny" ? "policy" : "allowed";
  }
}
