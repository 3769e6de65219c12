import type { EnvironmentContext } from "#foundation";
import { defineCache } from "#foundation/cache";
import {
  type ActionTool,
  type DeployedAction,
  estimateTokens,
  listActions,
  nameFunctions,
  presentToolFor,
  toActionTool,
  whyNoTool,
} from "#functions";
import { listIntegrations } from "#integrations";
import { listOperationRows } from "../openapi/storing/store.ts";
import type { ServedSession } from "../sessions/session.ts";
import {
  allEffects,
  type Effect,
  hasTool,
  leavesTool,
  type RuledTool,
  strictestEffect,
} from "../toolsets/toolset.ts";
import { verdictOn } from "../toolsets/verdict.ts";
import { describeUpstreams } from "../upstream/describe-upstreams.ts";
import type { CatalogueTool } from "./catalogue-tool.ts";
import { describeApi, describeOperation } from "./describe-tools.ts";
import { createToolSearch, type SearchedTool, type ToolSearch } from "./search-tools.ts";
import { signatureOf } from "./signature.ts";
import { toolNameOf } from "./tool-name.ts";

export interface ToolCatalogue {
  /** By name, in the order of their names. */
  readonly tools: ReadonlyMap<string, CatalogueTool>;
  readonly search: ToolSearch;
  readonly leftOut: readonly LeftOutAction[];
  /** Integrations with tools of other MCP servers, by key. */
  readonly upstreams: ReadonlyMap<string, number>;
}

/** An action that is no tool. */
export interface LeftOutAction {
  readonly integration: string;
  readonly action: string;
  readonly reason: NonNullable<ReturnType<typeof whyNoTool>>;
}

const LONGEST_SUMMARY = 300;
/** Of one environment; a catalogue stays in memory. */
const MOST_TOOLS = 10_000;

// A tool takes about 2.5 KB: those of all environments together at most 50 MB.
const cached = defineCache<ToolCatalogue>({ maxEntries: 50, maxWeight: 2 * MOST_TOOLS });

/** All tools of the environment; what is deployed or changed holds within a second. */
export async function getCatalogue(ctx: EnvironmentContext): Promise<ToolCatalogue> {
  const { id } = ctx.environment;
  const found = await cached.find(ctx, id, async () => {
    const { catalogue, integrationIds } = await buildCatalogue(ctx);
    const own = [`functions ${id}`, `agent_api_documents ${id}`, `integrations ${id}`].concat(
      `agent_upstream_tools ${id}`,
    );
    const rows = [...own, ...integrationIds.map((each) => `integrations ${each}`)];
    return { value: catalogue, rows, weight: catalogue.tools.size };
  });
  return found ?? (await buildCatalogue(ctx)).catalogue;
}

async function buildCatalogue(ctx: EnvironmentContext) {
  const actions = await listActions(ctx, { limit: MOST_TOOLS });
  const tools: CatalogueTool[] = [];
  const texts: SearchedTool[] = [];
  const byIntegration = Map.groupBy(actions, ({ integrationId }) => integrationId);
  const operations = Map.groupBy(
    await listOperationRows(ctx.db, ctx.environment.id),
    ({ integrationId }) => integrationId,
  );
  const integrations = await listIntegrations(ctx);
  const upstreams = await describeUpstreams(ctx, integrations);
  const keys = new Map(integrations.map(({ id, uniqueKey }) => [id, uniqueKey]));
  const plainNames = await nameFunctions(ctx, keys);
  for (const integration of integrations) {
    const { id: integrationId, uniqueKey, provider, displayName } = integration;
    const own = (byIntegration.get(integrationId) ?? [])
      .filter((each) => whyNoTool(each) === undefined)
      .map((fn) => ({ ...describe(toActionTool(fn), uniqueKey), ...nameOf(fn) }));
    const taken = new Set(own.map(({ name }) => name));
    const rows = operations.get(integrationId) ?? [];
    const others = [
      ...rows.map((row) => describeOperation(row, integration)),
      ...(upstreams.get(integrationId) ?? []),
      describeApi(integration),
    ];
    for (const tool of [...own, ...others.filter(({ name }) => !taken.has(name))]) {
      tools.push(tool);
      texts.push({
        ...{ name: tool.name, action: tool.action, title: tool.title ?? "" },
        integration: `${uniqueKey} ${displayName ?? ""} ${provider}`,
        description: tool.summary,
        parameters: tool.signature,
      });
    }
  }
  const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const catalogue: ToolCatalogue = {
    tools: new Map(sorted.map((tool) => [tool.name, tool])),
    search: await createToolSearch(texts),
    leftOut: listLeftOut(actions, keys),
    upstreams: new Map(
      integrations
        .filter(({ id }) => upstreams.has(id))
        .map(({ uniqueKey, id }) => [uniqueKey, id]),
    ),
  };
  return { catalogue, integrationIds: integrations.map(({ id }) => id) };

  function nameOf({ id }: DeployedAction) {
    const plainName = plainNames.get(id);
    return plainName === undefined ? {} : { plainName };
  }
}

function listLeftOut(
  actions: readonly DeployedAction[],
  keys: ReadonlyMap<number, string>,
): LeftOutAction[] {
  return actions.flatMap((fn) => {
    const reason = whyNoTool(fn);
    const integration = keys.get(fn.integrationId);
    if (reason === undefined || integration === undefined) return [];
    return [{ integration, action: fn.name, reason }];
  });
}

function describe(tool: ActionTool, integration: string): CatalogueTool {
  const { fn, description, hints, inputSchema, outputSchema } = tool;
  const name = toolNameOf(integration, fn.name);
  return {
    ...{ source: "action", name, integration, action: fn.name, integrationId: fn.integrationId },
    title: hints.title,
    summary: description.slice(0, LONGEST_SUMMARY),
    ...{ effect: effectOf(tool), sends: mayReachOthers(tool) },
    isEffectGuessed: hints.effect === undefined,
    isUntrusted: hints.untrustedOutput ?? hints.openWorld !== false,
    asks: hints.asks === true,
    isResource: hints.resource !== undefined,
    signature: signatureOf(inputSchema, outputSchema),
    tokens: estimateTokens(presentToolFor("mcp", name, tool)),
  };
}

/** What the author does not say is taken for a write. */
function effectOf({ hints }: Pick<ActionTool, "hints">): Effect {
  return hints.effect ?? "write";
}

/** Of a tool that only reads, only what its author says: others may look things up in the open. */
function mayReachOthers({ hints }: Pick<ActionTool, "hints">): boolean {
  const { sends, openWorld, effect } = hints;
  if (sends === "external") return true;
  return effect !== "read" && (openWorld ?? effect === undefined);
}

/** The tools that the session may call, in the order of their names. */
export function listSessionTools(
  { tools }: ToolCatalogue,
  session: Pick<ServedSession, "settings" | "policy">,
): CatalogueTool[] {
  return [...tools.values()]
    .filter((tool) => mayCall(session, tool))
    .map((tool) => ofSession(session, tool));
}

/** A tool of the session by its name; undefined for others. */
export function findSessionTool(
  { tools }: ToolCatalogue,
  session: Pick<ServedSession, "settings" | "policy">,
  name: string,
): CatalogueTool | undefined {
  const tool = tools.get(name);
  return tool !== undefined && mayCall(session, tool) ? ofSession(session, tool) : undefined;
}

/** The tool that sends any request is another one by the rules of each session. */
function ofSession(
  session: Pick<ServedSession, "settings" | "policy">,
  tool: CatalogueTool,
): CatalogueTool {
  if (tool.source !== "api") return tool;
  const rules = session.settings.flatMap(({ api = [] }) =>
    api.filter(({ integration }) => integration === tool.integration),
  );
  const effects = allEffects.filter((effect) => mayCallAs(session, withEffect(tool, effect)));
  return { ...withEffect(tool, strictestEffect(effects)), rules };
}

/** The tool as a call has it that does this to data; what changes something may reach anybody. */
export function withEffect<Tool extends RuledTool>(tool: Tool, effect: Effect): Tool {
  return { ...tool, effect, sends: effect !== "read" };
}

/** Whether there may be a call of the tool. */
export function mayCall(
  session: Pick<ServedSession, "settings" | "policy">,
  tool: RuledTool,
): boolean {
  if (tool.source !== "api") return mayCallAs(session, tool);
  return allEffects.some((effect) => mayCallAs(session, withEffect(tool, effect)));
}

/** Whether there may be one with the effect that the tool has. */
export function mayCallAs(
  { settings, policy }: Pick<ServedSession, "settings" | "policy">,
  tool: RuledTool,
): boolean {
  if (!settings.every((each) => hasTool(each, tool)) || !leavesTool(policy, tool)) return false;
  return verdictOn(tool, { settings, policy }) !== "deny";
}
