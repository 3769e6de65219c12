import { triggerAction } from "#actions";
import type { EnvironmentContext } from "#foundation";
import { getCachedAction, toActionTool, whyNoTool } from "#functions";
import { readApiTool } from "../api-calls/api-tool.ts";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import { readOperation } from "../openapi/calling/read-operation.ts";
import { readUpstream } from "../upstream/read-upstream.ts";
import type { ReadTool } from "./tool-source.ts";

/** The tool with its schemas; undefined when it has just gone. */
export async function readTool(
  ctx: EnvironmentContext,
  tool: CatalogueTool,
): Promise<ReadTool | undefined> {
  switch (tool.source) {
    case "action":
      return await readAction(ctx, tool);
    case "operation":
      return await readOperation(ctx, tool);
    case "api":
      return await readApiTool(ctx, tool);
    case "upstream":
      return readUpstream(tool);
  }
}

async function readAction(
  ctx: EnvironmentContext,
  { integrationId, action: actionName }: CatalogueTool,
): Promise<ReadTool | undefined> {
  const fn = await getCachedAction(ctx, { integration: { id: integrationId }, name: actionName });
  if (fn === undefined || whyNoTool(fn) !== undefined) return undefined;
  return {
    ...toActionTool(fn),
    digest: fn.bundleSha256.toString("hex"),
    run: async (ctx, { integrationKey, connectionId, input, caller, meta }) =>
      await triggerAction(ctx, {
        ...{ integrationKey, connectionId, input, caller, meta, actionName },
      }),
  };
}
