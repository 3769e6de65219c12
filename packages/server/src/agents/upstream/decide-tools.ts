import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { Integration } from "#integrations";
import { recordChange } from "#logs";
import type { Effect } from "../toolsets/toolset.ts";
import { decideVersions, listSameVersions, listUndecided, saveAllowance } from "./store.ts";
import { type Allowance, isAllowedAtFirst } from "./upstream.ts";

/**
 * Allows tools of the first list, also of servers that are connected later; what is changed, refused or allowed
 * already stays as it is.
 */
export async function allowTools(
  ctx: EnvironmentContext,
  { integration, allow }: { integration: Integration; allow: Allowance },
): Promise<void> {
  const { id: integrationId, uniqueKey } = integration;
  await withTransaction(ctx, async ({ db, environment, clock }) => {
    await saveAllowance(db, environment.id, { integrationId, allow });
    const undecided = await listUndecided(db, integrationId);
    const wanted = undecided.filter((each) => isAllowedAtFirst(allow, each));
    await decideVersions(db, {
      ...{ integrationId, versions: wanted, state: "allowed", effect: undefined, sends: false },
      now: clock.now(),
    });
  });
  recordChange(ctx, {
    message: `Allow tools of the MCP server of "${uniqueKey}"`,
    meta: { integration: uniqueKey, allow },
  });
}

export interface ToolDecision {
  readonly integration: Integration;
  readonly name: string;
  /** Of the version that the caller has seen. */
  readonly digest: string;
  readonly serverUrl: string | undefined;
  readonly decision: "accept" | "refuse";
  readonly effect: Effect | undefined;
  readonly sends: boolean;
}

/** Throws not_found for a version that was never listed, and conflict where several servers have it. */
export async function decideTool(ctx: EnvironmentContext, input: ToolDecision): Promise<void> {
  const { integration, name, digest, serverUrl, decision, effect, sends } = input;
  const { id: integrationId, uniqueKey } = integration;
  const versions = await listSameVersions(ctx.db, integrationId, { name, digest });
  const wanted = versions.filter((each) => serverUrl === undefined || each.serverUrl === serverUrl);
  if (wanted.length === 0) {
    const message = `"${uniqueKey}" has no version ${digest.slice(0, 12)} of a tool "${name}"; read its tools again.`;
    throw new AppError("not_found", message);
  }
  if (wanted.length > 1) {
    const message = `${wanted.length} servers of "${uniqueKey}" have this tool: say which by server_url.`;
    throw new AppError("conflict", message);
  }
  await withTransaction(ctx, async ({ db, clock }) => {
    await decideVersions(db, {
      ...{ integrationId, versions: wanted, effect, sends, now: clock.now() },
      state: decision === "accept" ? "allowed" : "refused",
    });
  });
  const verb = decision === "accept" ? "Accept" : "Refuse";
  recordChange(ctx, {
    message: `${verb} the tool "${name}" of the MCP server of "${uniqueKey}"`,
    meta: {
      integration: uniqueKey,
      tool: name,
      digest,
      ...(effect === undefined ? {} : { effect }),
    },
  });
}
