import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  isInputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { digestCall, openStates, type ToolCall } from "#mcp";
import type { EnvironmentContext } from "#platform";
import type { ServedSession } from "../sessions/session.ts";

/** Who may answer questions in a session, and bring back what was given for one of its calls. */
export function ownerOf({ id }: Pick<ServedSession, "id">): string {
  return `session ${id}`;
}

/** Name of the request; no question of a tool has a space in its key. */
const CONNECT = "connect account";

/**
 * A client that can open addresses for its user is asked to do so, once for a call; others read the address in the
 * result.
 */
export async function askToConnect(
  ctx: EnvironmentContext,
  session: Pick<ServedSession, "id">,
  {
    result,
    call,
    server,
  }: { result: CallToolResult | InputRequiredResult; call: ToolCall; server: ServerContext },
): Promise<CallToolResult | InputRequiredResult> {
  if (isInputRequiredResult(result)) return result;
  const asked = readAddress(result);
  const { envelope, inputResponses } = server.mcpReq;
  const capabilities = Object(envelope)[CLIENT_CAPABILITIES_META_KEY];
  const canOpen = capabilities?.elicitation?.url !== undefined;
  const wasAsked = Object.hasOwn(inputResponses ?? {}, CONNECT);
  if (asked === undefined || !canOpen || wasAsked) return result;
  const states = await openStates(ctx, ownerOf(session));
  return inputRequired({
    inputRequests: {
      [CONNECT]: inputRequired.elicitUrl({ url: asked.url, message: asked.message }),
    },
    requestState: await states.mint({ call: digestCall(call) }, server),
  });
}

function readAddress({ isError, content }: CallToolResult) {
  const [first] = content;
  if (isError !== true || first?.type !== "text") return undefined;
  const failure: unknown = JSON.parse(first.text);
  const { connect_url: url, integration }: { connect_url?: unknown; integration?: unknown } =
    Object(failure);
  if (typeof url !== "string") return undefined;
  return { url, message: `Connect your account of ${String(integration)} to continue.` };
}
