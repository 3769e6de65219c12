import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  isInputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { EnvironmentContext } from "#foundation";
import { digestCall, openStates, type ToolCall } from "#mcp";
import type { ServedSession } from "../sessions/session.ts";

/** Who may answer questions in a session, and bring back what was given for one of its calls. */
export function ownerOf({ id }: Pick<ServedSession, "id">): string {
  return `session ${id}`;
}

/** What a user opens an address for; no question of a tool has a space in its key. */
type Purpose = "connect account" | "approve call";

/**
 * A client that can open addresses for its user is asked to do so, once for a call; others read the address in the
 * result.
 */
export async function askToOpen(
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
  if (asked === undefined || !canOpen) return result;
  if (Object.hasOwn(inputResponses ?? {}, asked.purpose)) return result;
  const states = await openStates(ctx, ownerOf(session));
  return inputRequired({
    inputRequests: {
      [asked.purpose]: inputRequired.elicitUrl({ url: asked.url, message: asked.message }),
    },
    requestState: await states.mint({ call: digestCall(call) }, server),
  });
}

function readAddress({
  isError,
  content,
}: CallToolResult): { purpose: Purpose; url: string; message: string } | undefined {
  const [first] = content;
  if (isError !== true || first?.type !== "text") return undefined;
  const { connect_url, approval_url, integration }: Readonly<Record<string, unknown>> = Object(
    JSON.parse(first.text),
  );
  if (typeof connect_url === "string") {
    const message = `Connect your account of ${String(integration)} to continue.`;
    return { purpose: "connect account", url: connect_url, message };
  }
  if (typeof approval_url !== "string") return undefined;
  const message = "Look at what would be sent, and approve or deny it.";
  return { purpose: "approve call", url: approval_url, message };
}
