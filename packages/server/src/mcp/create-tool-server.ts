import { createRequire } from "node:module";
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { triggerAction } from "#actions";
import type { Connection } from "#connections";
import { type ActionTool, toActionInput } from "#functions";
import type { Integration } from "#integrations";
import { AppError, type EnvironmentContext } from "#platform";
import { type OnAway, withOwnWords } from "./own-words.ts";
import { readClient } from "./read-client.ts";
import { reportProgress } from "./report-progress.ts";
import { presentResult } from "./results/present-result.ts";
import { readResult } from "./results/read-result.ts";
import { explainFailure, toolFailure } from "./tool-failure.ts";
import {
  describeReader,
  describeTool,
  findTool,
  holdsOutputs,
  listTools,
  nameReader,
} from "./tools.ts";

const { version } = createRequire(import.meta.url)("../../package.json");

export interface ToolPlace {
  readonly integration: Integration;
  readonly connection: Connection;
  /** Who calls, as the request names it. */
  readonly client: string | undefined;
}

/** A server for one request: the actions of an integration, run for one connection. */
export function createToolServer(
  ctx: EnvironmentContext,
  place: ToolPlace,
  onAway: OnAway,
): Server {
  const server = new Server({ name: "jackfield", version }, { capabilities: { tools: {} } });
  const { integration, connection } = place;
  server.setRequestHandler("tools/list", async () =>
    withOwnWords({ ctx, onAway }, async () => {
      const tools = await listTools(ctx, integration);
      const isStructured = await holdsOutputs(ctx);
      const described = tools.map((tool) => describeTool(tool, { isStructured }));
      const reader = describeReader(await nameReader(ctx, integration));
      return { tools: tools.length === 0 ? [] : [...described, reader] };
    }),
  );
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) =>
    withOwnWords({ ctx, onAway }, async () => {
      const tool = await findTool(ctx, integration, params.name);
      if (tool !== undefined) {
        const progressToken = params._meta?.progressToken;
        const notify = mcpReq.notify.bind(mcpReq);
        await using _ = reportProgress(notify, progressToken);
        const client = readClient(params._meta) ?? place.client;
        return await callTool(ctx, { ...place, client }, tool, params.arguments);
      }
      if (params.name === (await nameReader(ctx, integration))) {
        return await readResult(ctx, { connection }, params.arguments);
      }
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool "${params.name}"; tools/list names those that there are.`,
      );
    }),
  );
  return server;
}

/** A failure of the action is an answer that the model can act on. */
async function callTool(
  ctx: EnvironmentContext,
  { integration, connection, client }: ToolPlace,
  tool: ActionTool,
  input: unknown,
): Promise<CallToolResult> {
  const { uniqueKey: integrationKey } = integration;
  try {
    const output = await triggerAction(ctx, {
      ...{ integrationKey, connectionId: connection.connectionId },
      actionName: tool.fn.name,
      input: toActionInput(tool, input),
      meta: { mcp: { ...(client === undefined ? {} : { client }) } },
    });
    const isStructured = tool.outputSchema !== undefined && (await holdsOutputs(ctx));
    const readerName = await nameReader(ctx, integration);
    return await presentResult(ctx, output, { owner: { connection }, isStructured, readerName });
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "server_error") throw error;
    return toolFailure(explainFailure(error, integrationKey));
  }
}
