import {
  createRequestStateCodec,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type EnvironmentContext, MINUTE, SECOND } from "#foundation";
import { deriveKey } from "#vault";
import { digestOf } from "../digest.ts";
import type { GivenAnswer } from "./answer.ts";

const STATE_LIFE_MS = 10 * MINUTE;

export interface RequestState {
  /** Of the call for which it is. */
  readonly call: string;
  /** Answers of earlier rounds, by the keys of their questions. */
  readonly answers?: Readonly<Record<string, GivenAnswer>>;
  /** What the round before has kept for this one. */
  readonly keptId?: string | undefined;
}

export interface ToolCall {
  readonly name: string;
  readonly given: unknown;
}

/** What a client brings back with the same call: of this owner alone, for ten minutes. */
export async function openStates(ctx: EnvironmentContext, owner: string) {
  const { id: environmentId } = ctx.environment;
  return createRequestStateCodec<RequestState>({
    key: await deriveKey(ctx, { environmentId, purpose: "agent-request-state" }),
    ttlSeconds: STATE_LIFE_MS / SECOND,
    bind: () => owner,
  });
}

/** A state that was given for another call is refused. */
export function requireOwnState(
  server: ServerContext,
  call: ToolCall,
  onRefused: () => void,
): void {
  const state = server.mcpReq.requestState<RequestState>();
  if (state === undefined || state.call === digestCall(call)) return;
  onRefused();
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The request state is of another call.");
}

export function digestCall({ name, given }: ToolCall): string {
  return digestOf([name, given ?? null]).toString("base64url");
}
