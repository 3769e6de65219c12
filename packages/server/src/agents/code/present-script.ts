import type { CallToolResult } from "@modelcontextprotocol/server";
import type { EnvironmentContext } from "#foundation";
import { presentResult } from "#mcp";
import type { Need } from "./script-tape.ts";

const READER = "read_result";

/** What a script returned, within the limit of results. */
export async function presentValue(
  ctx: EnvironmentContext,
  sessionId: string,
  { json, log, calls }: { readonly json: string; readonly log: string; readonly calls: number },
): Promise<CallToolResult> {
  const logged = log === "" ? "" : `,"log":${JSON.stringify(log)}`;
  const output = Buffer.from(`{"value":${json}${logged},"calls":${calls}}`);
  const owner = { connection: undefined, sessionId };
  const wanted = { owner, isStructured: false, readerName: READER };
  return await presentResult(ctx, output, wanted);
}

export interface ScriptFailure {
  readonly code:
    | "script_error"
    | "script_limit"
    | "script_interrupted"
    | "overloaded"
    | "invalid_input"
    | "not_found"
    | "budget_exhausted"
    | "session_ended";
  readonly message: string;
  readonly next: string;
  /** By which it continues. */
  readonly handle?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** Code of the call that the script let fail. */
  readonly tool_error?: string | undefined;
  readonly log?: string | undefined;
  /** Calls that it has made. */
  readonly calls?: number | undefined;
  readonly retry_after_s?: number | undefined;
}

export function scriptFailure(failure: ScriptFailure): CallToolResult {
  return { isError: true, content: [{ type: "text", text: JSON.stringify(failure) }] };
}

/** What a person has to do before the script continues; not a failure. */
export function presentWaiting(
  handle: string,
  { needs, calls }: { readonly needs: readonly Need[]; readonly calls: number },
): CallToolResult {
  const waiting = {
    handle,
    needs: needs.map(({ tool, failure }) => {
      const { code, message, integration, approval_id, approval_url, connect_url } = failure;
      return {
        ...{ tool, code, message, integration, approval_id, approval_url, connect_url },
      };
    }),
    calls,
  };
  const next =
    "Give the user what is in needs. When they have finished, call run_code with resume: handle, within an hour; nothing is sent twice.";
  return { content: [{ type: "text", text: JSON.stringify({ waiting, next }) }] };
}
