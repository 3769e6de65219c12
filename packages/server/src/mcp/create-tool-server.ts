import { createRequire } from "node:module";
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { triggerAction } from "#actions";
import type { Integration } from "#integrations";
import { AppError, type EnvironmentContext } from "#platform";
import { type DatabaseAway, findDatabaseAway } from "#platform/db";
import { type ActionTool, listTools } from "./tools.ts";

const { version } = createRequire(import.meta.url)("../../package.json");

const INDENTED_CHARACTERS = 4096;

export interface ToolPlace {
  readonly integration: Integration;
  readonly connectionId: string;
}

/** Hears of a call that failed for want of the database. */
type OnAway = (error: DatabaseAway) => void;

/** A server for one request: the actions of an integration, run for one connection. */
export function createToolServer(
  ctx: EnvironmentContext,
  place: ToolPlace,
  onAway: OnAway,
): Server {
  const server = new Server({ name: "jackfield", version }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async () => {
    const tools = await withOwnWords(
      { ctx, onAway },
      async () => await listTools(ctx, place.integration),
    );
    return { tools: tools.map(describeTool) };
  });
  server.setRequestHandler("tools/call", async ({ params }) =>
    withOwnWords({ ctx, onAway }, async () => {
      const tools = await listTools(ctx, place.integration);
      const tool = tools.find(({ fn }) => fn.name === params.name);
      if (tool !== undefined) return await callTool(ctx, place, tool, params.arguments);
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool "${params.name}"; tools/list names those that there are.`,
      );
    }),
  );
  return server;
}

/** The protocol's server tells the caller whatever an error says; of our own failures only the log may. */
async function withOwnWords<Result>(
  { ctx, onAway }: { ctx: EnvironmentContext; onAway: OnAway },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError || ctx.signal.aborted) throw error;
    const away = findDatabaseAway(error);
    if (away !== undefined) {
      onAway(away);
      throw new ProtocolError(ProtocolErrorCode.InternalError, away.message);
    }
    const errorId = crypto.randomUUID();
    ctx.log.error("mcp.failed", { errorId, error });
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      `Something failed on our side; the server's log has it as ${errorId}.`,
    );
  }
}

function describeTool({ fn, inputSchema }: ActionTool) {
  const { description } = fn.definition;
  return { name: fn.name, ...(description && { description }), inputSchema: asJson(inputSchema) };
}

/** A failure of the action is an answer that the model can act on. */
async function callTool(
  ctx: EnvironmentContext,
  { integration, connectionId }: ToolPlace,
  { fn, isWithoutInput }: ActionTool,
  input: unknown,
): Promise<CallToolResult> {
  try {
    const output = await triggerAction(ctx, {
      integrationKey: integration.uniqueKey,
      connectionId,
      actionName: fn.name,
      input: isWithoutInput ? undefined : (input ?? {}),
    });
    return { content: [{ type: "text", text: toReadable(Buffer.from(output).toString()) }] };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "server_error") throw error;
    const { code, message, details } = error;
    return { isError: true, content: [toText({ code, message, errors: details })] };
  }
}

/** Short outputs are indented; long ones stay as they are, for they may grow to many times their size. */
function toReadable(json: string): string {
  return json.length > INDENTED_CHARACTERS ? json : JSON.stringify(JSON.parse(json), null, 2);
}

function toText(value: unknown) {
  return { type: "text" as const, text: JSON.stringify(value, null, 2) };
}

// A schema is JSON from a deployment; the protocol's type names its parts.
function asJson(schema: ActionTool["inputSchema"]): { type: "object" } {
  return schema;
}
