import { createRequire } from "node:module";
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from "@modelcontextprotocol/server";
import { triggerAction } from "#actions";
import type { Connection } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import { type ActionTool, toActionInput } from "#functions";
import type { Integration } from "#integrations";
import type { RunCaller } from "#slice";
import { capabilitiesOf } from "./capabilities.ts";
import type { ShownLists } from "./listening/watch-lists.ts";
import { withOwnWords } from "./own-words.ts";
import { askUser, requireForms } from "./questions/ask-user.ts";
import { openStates, requireOwnState } from "./questions/request-state.ts";
import { readClient } from "./read-client.ts";
import { reportProgress } from "./report-progress.ts";
import { isResource } from "./resources/resource-actions.ts";
import { serveResources } from "./resources/serve-resources.ts";
import { presentResult } from "./results/present-result.ts";
import { readResult } from "./results/read-result.ts";
import { findStoredResult } from "./results/tool-results.ts";
import type { ServerParts } from "./serve-message.ts";
import { ModelServer } from "./shown/model-server.ts";
import { explainFailure, type ToolFailure, toolFailure } from "./tool-failure.ts";
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
  { onAway, channel, canListen }: ServerParts,
): Server {
  const { integration, connection } = place;
  const owner = ownerOf(connection);
  const server = new ModelServer(
    { name: "jackfield", version },
    {
      capabilities: capabilitiesOf(canListen),
      requestState: {
        verify: async (state, context) =>
          await (await openStates(ctx, owner)).verify(state, context),
      },
    },
  );
  server.setRequestHandler("tools/list", async () =>
    withOwnWords({ ctx, onAway }, async () => {
      return { tools: await listShown(ctx, integration) };
    }),
  );
  server.setRequestHandler("tools/call", async ({ params }, request) =>
    withOwnWords({ ctx, onAway }, async () => {
      const { mcpReq } = request;
      const tool = await findTool(ctx, integration, params.name);
      if (tool !== undefined) {
        const call = { name: params.name, given: params.arguments ?? {} };
        requireOwnState(request, call, () => {});
        if (tool.hints.asks === true) requireForms(request);
        const notify = mcpReq.notify.bind(mcpReq);
        await using progress = reportProgress(notify, params._meta?.progressToken);
        const client = readClient(mcpReq.envelope) ?? readClient(params._meta) ?? place.client;
        const asking = { server: request, call, owner, channel, onProgress: progress.report };
        return await askUser(ctx, asking, async (caller) =>
          callTool(ctx, { ...place, client, caller }, { tool, input: params.arguments }),
        );
      }
      if (params.name === (await nameReader(ctx, integration))) {
        return await readResult(ctx, { connection }, params.arguments);
      }
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool "${params.name}"; call tools/list for those that are available.`,
      );
    }),
  );
  serveResources(ctx, server, {
    list: async () => {
      const tools = await listTools(ctx, integration);
      return tools.filter(isResource).map((tool) => ({ name: tool.fn.name, tool }));
    },
    findStored: async (handle) => await findStoredResult(ctx, { connection }, handle),
    run: async ({ tool }, input) => {
      try {
        return await runTool(ctx, place, { tool, input });
      } catch (error) {
        return explainOwn(error, integration);
      }
    },
    onAway,
  });
  return server;
}

/** The tools as a client sees them. */
async function listShown(ctx: EnvironmentContext, integration: Integration) {
  const tools = await listTools(ctx, integration);
  const isStructured = await holdsOutputs(ctx);
  const described = tools.map((tool) => describeTool(tool, { name: tool.fn.name, isStructured }));
  const reader = describeReader(await nameReader(ctx, integration));
  return tools.length === 0 ? [] : [...described, reader];
}

/** What a client that listens hears the changes of. */
export function listsOf(ctx: EnvironmentContext, integration: Integration): ShownLists {
  const read = async () => {
    const actions = await listTools(ctx, integration);
    const resources = actions.filter(isResource).map(({ fn, hints }) => [fn.name, hints]);
    return { tools: await listShown(ctx, integration), resources };
  };
  return { read };
}

/** Who may answer questions of a tool, and bring back what was given for one of its calls. */
export function ownerOf({ uuid }: Pick<Connection, "uuid">): string {
  return `connection ${uuid}`;
}

interface ToolRun {
  readonly tool: ActionTool;
  readonly input: unknown;
}

async function runTool(
  ctx: EnvironmentContext,
  { integration, connection, client, caller }: ToolPlace & { caller?: RunCaller },
  { tool, input }: ToolRun,
): Promise<Uint8Array> {
  return await triggerAction(ctx, {
    ...{ integrationKey: integration.uniqueKey, connectionId: connection.connectionId },
    actionName: tool.fn.name,
    input: toActionInput(tool, input),
    caller,
    meta: { mcp: { ...(client === undefined ? {} : { client }) } },
  });
}

/** A failure of the action is an answer that the model can act on. */
async function callTool(
  ctx: EnvironmentContext,
  place: ToolPlace & { readonly caller: RunCaller },
  run: ToolRun,
): Promise<CallToolResult> {
  const { tool } = run;
  const { integration, connection } = place;
  try {
    const output = await runTool(ctx, place, run);
    const isStructured = tool.outputSchema !== undefined && (await holdsOutputs(ctx));
    const readerName = await nameReader(ctx, integration);
    const isContent = tool.hints.output === "content";
    const owner = { connection };
    return await presentResult(ctx, output, { owner, isStructured, readerName, isContent });
  } catch (error) {
    return toolFailure(explainOwn(error, integration));
  }
}

/** What the caller may know of a failure; our own are thrown on. */
function explainOwn(error: unknown, { uniqueKey }: Integration): ToolFailure {
  if (!(error instanceof AppError) || error.code === "server_error") throw error;
  return explainFailure(error, uniqueKey);
}
