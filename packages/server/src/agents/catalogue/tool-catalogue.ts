import {
  type ActionTool,
  estimateTokens,
  getCachedAction,
  listActions,
  presentToolFor,
  toActionTool,
  whyNoTool,
} from "#functions";
import { findIntegrationById } from "#integrations";
import type { EnvironmentContext } from "#platform";
import { defineCache } from "#platform/cache";
import type { ServedSession } from "../sessions/session.ts";
import { type Effect, hasTool, leavesTool, type RuledTool } from "../toolsets/toolset.ts";
import { verdictOn } from "../toolsets/verdict.ts";
import { createToolSearch, type SearchedTool, type ToolSearch } from "./search-tools.ts";
import { signatureOf } from "./signature.ts";
import { toolNameOf } from "./tool-name.ts";

/** A tool without its schemas, which are read when they are asked for. */
export interface CatalogueTool extends RuledTool {
  readonly name: string;
  readonly integrationId: number;
  readonly title: string | undefined;
  /** At most 300 characters. */
  readonly summary: string;
  readonly signature: string;
  /** About what its definition takes in a model's context. */
  readonly tokens: number;
  /** Whether it may have an address of its own. */
  readonly isResource: boolean;
  /** Whether others may have written what it answers. */
  readonly isUntrusted: boolean;
  /** Whether it cannot do without asking its user. */
  readonly asks: boolean;
}

export interface ToolCatalogue {
  /** By name, in the order of their names. */
  readonly tools: ReadonlyMap<string, CatalogueTool>;
  readonly search: ToolSearch;
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
    const rows = [`functions ${id}`, ...integrationIds.map((each) => `integrations ${each}`)];
    return { value: catalogue, rows, weight: catalogue.tools.size };
  });
  return found ?? (await buildCatalogue(ctx)).catalogue;
}

async function buildCatalogue(ctx: EnvironmentContext) {
  const actions = await listActions(ctx, { limit: MOST_TOOLS });
  const tools: CatalogueTool[] = [];
  const texts: SearchedTool[] = [];
  const byIntegration = Map.groupBy(actions, ({ integrationId }) => integrationId);
  for (const [integrationId, own] of byIntegration) {
    const integration = await findIntegrationById(ctx, integrationId);
    if (integration === undefined) continue;
    const { uniqueKey, provider, displayName } = integration;
    for (const fn of own.filter((each) => whyNoTool(each) === undefined)) {
      const tool = describe(toActionTool(fn), uniqueKey);
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
    search: createToolSearch(texts),
  };
  return { catalogue, integrationIds: [...byIntegration.keys()] };
}

function describe(tool: ActionTool, integration: string): CatalogueTool {
  const { fn, description, hints, inputSchema, outputSchema } = tool;
  const name = toolNameOf(integration, fn.name);
  return {
    ...{ name, integration, action: fn.name, integrationId: fn.integrationId },
    title: hints.title,
    summary: description.slice(0, LONGEST_SUMMARY),
    ...{ effect: effectOf(tool), sends: mayReachOthers(tool) },
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
  { settings, policy }: Pick<ServedSession, "settings" | "policy">,
): CatalogueTool[] {
  return [...tools.values()].filter((tool) => mayCall({ settings, policy }, tool));
}

/** A tool of the session by its name; undefined for others. */
export function findSessionTool(
  { tools }: ToolCatalogue,
  session: Pick<ServedSession, "settings" | "policy">,
  name: string,
): CatalogueTool | undefined {
  const tool = tools.get(name);
  return tool !== undefined && mayCall(session, tool) ? tool : undefined;
}

export function mayCall(
  { settings, policy }: Pick<ServedSession, "settings" | "policy">,
  tool: RuledTool,
): boolean {
  if (!settings.every((each) => hasTool(each, tool)) || !leavesTool(policy, tool)) return false;
  return verdictOn(tool, { settings, policy }) !== "deny";
}

/** The tool with its schemas; undefined when it has just gone. */
export async function readTool(
  ctx: EnvironmentContext,
  { integrationId, action }: CatalogueTool,
): Promise<ActionTool | undefined> {
  const fn = await getCachedAction(ctx, { integration: { id: integrationId }, name: action });
  return fn === undefined || whyNoTool(fn) !== undefined ? undefined : toActionTool(fn);
}
