import { randomUUID } from "node:crypto";
import { AppError, addMs, type EnvironmentContext } from "#foundation";
import { soleSpelling } from "#gateway";
import { announceChange, recordChange } from "#logs";
import { lookupHash } from "#vault";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import { getCatalogue, listSessionTools } from "../catalogue/tool-catalogue.ts";
import { type Mode, modeOf, tokensOfMode } from "../serving/mode.ts";
import { findToolset } from "../toolsets/store.ts";
import { type Budget, narrowBudget, type Policy } from "../toolsets/toolset.ts";
import { getSessionCatalogue } from "../upstream/session-catalogue.ts";
import { type Account, listAccounts } from "./accounts.ts";
import { AGENT_TOKEN, newAgentToken, USUAL_LIFE_MS } from "./session.ts";
import { insertSession } from "./store.ts";

export interface SessionInput {
  readonly toolset: string;
  readonly endUserId: string;
  readonly lifeMs?: number | undefined;
  readonly policy: Policy;
  readonly budget?: Budget | undefined;
}

export interface CreatedSession {
  readonly id: string;
  readonly token: string;
  readonly mcpUrl: string;
  readonly toolsetVersion: number;
  readonly expiresAt: Date;
  readonly mode: Mode;
  readonly tools: { readonly count: number; readonly tokens: number; readonly can_send: boolean };
  readonly accounts: readonly Account[];
  /** Integrations of its tools without a connection of the end user. */
  readonly missing: readonly string[];
}

/** Makes a session; its token is shown once and stored only as a keyed hash. Throws not_found. */
export async function createSession(
  ctx: EnvironmentContext,
  { toolset: name, endUserId, lifeMs = USUAL_LIFE_MS, policy, budget }: SessionInput,
): Promise<CreatedSession> {
  const toolset = await findToolset(ctx.db, ctx.environment.id, { name });
  if (toolset === undefined) return failMissing(name);
  const token = newAgentToken();
  const createdAt = ctx.clock.now();
  const row = {
    ...{ id: randomUUID(), toolsetId: toolset.id, toolset: name, toolsetVersion: toolset.version },
    ...{ endUserId, policy, budget: narrowBudget(toolset.settings.budget, budget) },
    ...{ createdAt, expiresAt: addMs(createdAt, lifeMs) },
    tokenHash: await lookupHash(ctx, AGENT_TOKEN, token),
  };
  if (!(await insertSession(ctx.db, ctx.environment.id, row))) return failMissing(name);
  const { id, expiresAt } = row;
  announceChange(ctx, ctx.environment.id, "agents");
  recordChange(ctx, {
    message: "Begin a session of an agent",
    meta: { session: id, toolset: name, toolset_version: toolset.version },
  });
  const held = { endUserId, policy, settings: [toolset.settings, toolset.settings] as const };
  const accounts = await listAccounts(ctx, held);
  const catalogue = await getSessionCatalogue(ctx, await getCatalogue(ctx), {
    ...{ session: held, readAccounts: async () => accounts },
  });
  const tools = listSessionTools(catalogue, held);
  const mode = modeOf(toolset.settings, tools);
  return {
    ...{ id, expiresAt, mode, accounts, toolsetVersion: toolset.version },
    token: soleSpelling(ctx, token),
    mcpUrl: `${ctx.settings.serverUrl}/mcp/${name}`,
    tools: {
      ...{ count: tools.length, tokens: tokensOfMode(mode, tools, toolset.settings) },
      can_send: tools.some(({ sends }) => sends),
    },
    missing: listMissing(
      [
        ...tools,
        ...toolset.settings.tools.filter((each) => catalogue.upstreams.has(each.integration)),
      ],
      accounts,
    ),
  };
}

function listMissing(
  tools: readonly Pick<CatalogueTool, "integration">[],
  accounts: readonly Account[],
): string[] {
  const connected = new Set(accounts.map(({ integration }) => integration));
  const wanted = new Set(tools.map(({ integration }) => integration));
  return [...wanted].filter((key) => !connected.has(key));
}

function failMissing(name: string): never {
  throw new AppError("not_found", `No toolset "${name}"; list them with GET /agent/toolsets.`);
}
