import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type EnvironmentContext, MINUTE, SECOND } from "#platform";
import { deriveKey } from "#vault";
import type { ServedSession } from "../sessions/session.ts";
import { noteRefusal } from "../sign-in/note-refusal.ts";
import { digestOf } from "./digest.ts";

const STATE_LIFE_MS = 10 * MINUTE;

interface State {
  /** Of the call for which the account is. */
  readonly call: string;
}

/** What a client brings back with the same call: of this session alone, for ten minutes. */
export async function openStates(ctx: EnvironmentContext, session: Pick<ServedSession, "id">) {
  const { id: environmentId } = ctx.environment;
  return createRequestStateCodec<State>({
    key: await deriveKey(ctx, { environmentId, purpose: "agent-request-state" }),
    ttlSeconds: STATE_LIFE_MS / SECOND,
    bind: () => session.id,
  });
}

interface Call {
  readonly name: string;
  readonly given: unknown;
}

/**
 * A client that can open addresses for its user is asked to do so, once for a call; others read the address in the
 * result.
 */
export async function askToConnect(
  ctx: EnvironmentContext,
  session: Pick<ServedSession, "id">,
  { result, call, server }: { result: CallToolResult; call: Call; server: ServerContext },
): Promise<CallToolResult | InputRequiredResult> {
  const asked = readAddress(result);
  const { envelope, inputResponses } = server.mcpReq;
  const capabilities = Object(envelope)[CLIENT_CAPABILITIES_META_KEY];
  const canOpen = capabilities?.elicitation?.url !== undefined;
  if (asked === undefined || !canOpen || inputResponses !== undefined) return result;
  const states = await openStates(ctx, session);
  return inputRequired({
    inputRequests: {
      connect: inputRequired.elicitUrl({ url: asked.url, message: asked.message }),
    },
    requestState: await states.mint({ call: digestCall(call) }, server),
  });
}

/** A state that was given for another call is refused. */
export function requireOwnState(
  ctx: EnvironmentContext,
  session: Pick<ServedSession, "id">,
  { call, server }: { call: Call; server: ServerContext },
): void {
  const state = server.mcpReq.requestState<State>();
  if (state === undefined || state.call === digestCall(call)) return;
  const message = "The request state is of another call.";
  noteRefusal(ctx, { code: "invalid_request_state", message, meta: { session: session.id } });
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function digestCall({ name, given }: Call): string {
  return digestOf([name, given ?? null]).toString("base64url");
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
