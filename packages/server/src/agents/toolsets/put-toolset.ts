import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { getIntegration } from "#integrations";
import { recordChange } from "#logs";
import { endSessions } from "../sessions/store.ts";
import {
  countToolsets,
  deleteToolsetRow,
  findToolset,
  insertVersion,
  raiseVersion,
} from "./store.ts";
import {
  integrationsOf,
  type Toolset,
  type ToolsetPolicy,
  type ToolsetSettings,
} from "./toolset.ts";

/** Of one environment. */
const MOST_TOOLSETS = 1000;

/** Makes a toolset or its next version; one that holds the same stays as it is. Throws unknown_provider_config. */
export async function putToolset(
  ctx: EnvironmentContext,
  { name, settings: given }: { name: string; settings: ToolsetSettings },
): Promise<Toolset> {
  const known = await findToolset(ctx.db, ctx.environment.id, { name });
  const settings = { ...given, policy: given.policy ?? usualPolicy(known) };
  for (const key of integrationsOf(settings)) await getIntegration(ctx, key);
  if (settings.authorization?.mode === "external") {
    await ctx.http.requireAllowedUrl(settings.authorization.issuer);
  }
  if (settings.policy?.url !== undefined) await ctx.http.requireAllowedUrl(settings.policy.url);
  if (known !== undefined && isDeepStrictEqual(known.settings, asStored(settings))) return known;
  if (known === undefined && (await countToolsets(ctx.db, ctx.environment.id)) >= MOST_TOOLSETS) {
    throw new AppError("resource_capped", `An environment has at most ${MOST_TOOLSETS} toolsets.`);
  }
  const createdAt = ctx.clock.now();
  const made = await withTransaction(ctx, async (ctx) => {
    const environmentId = ctx.environment.id;
    const raised = await raiseVersion(ctx.db, environmentId, {
      ...{ id: randomUUID(), name, now: createdAt },
    });
    await insertVersion(ctx.db, environmentId, { ...raised, settings, createdAt });
    return raised;
  });
  recordChange(ctx, { message: `Make version ${made.version} of the toolset "${name}"` });
  return { ...made, name, settings, createdAt };
}

/** A toolset that an earlier release made without a policy stays without one until it is given one. */
function usualPolicy(known: Toolset | undefined): ToolsetPolicy | undefined {
  const isWithout = known !== undefined && known.settings.policy === undefined;
  return isWithout ? undefined : { preset: "careful" };
}

/** Deletes the toolset and ends its sessions; throws not_found. */
export async function deleteToolset(ctx: EnvironmentContext, name: string): Promise<void> {
  await withTransaction(ctx, async (ctx) => {
    const toolsetId = await deleteToolsetRow(ctx.db, ctx.environment.id, name);
    if (toolsetId === undefined)
      throw new AppError("not_found", `No toolset "${name}"; list them with GET /agent/toolsets.`);
    await endSessions(ctx.db, ctx.environment.id, { toolsetId, now: ctx.clock.now() });
  });
  recordChange(ctx, { message: `Delete the toolset "${name}"` });
}

/** As JSON keeps it. */
function asStored(settings: ToolsetSettings): unknown {
  return JSON.parse(JSON.stringify(settings));
}
