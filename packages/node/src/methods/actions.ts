import type { AsyncAction } from "../api-types/index.ts";
import { encode, headersOf } from "../calls/request-parts.ts";
import { waitFor } from "../calls/wait-for.ts";
import { JackfieldError } from "../jackfield-error.ts";
import type { ActionCall, ChangeOptions } from "../requests.ts";
import { Resource } from "./resource.ts";

/** Actions, at once or later. */
export class Actions extends Resource {
  /** Runs an action and resolves to its output. */
  async trigger<Output>(call: ActionCall, options: ChangeOptions = {}): Promise<Output> {
    const { providerConfigKey, connectionId, action, input } = call;
    return await this.http.json({
      ...options,
      method: "POST",
      path: "/action/trigger",
      headers: headersOf(providerConfigKey, connectionId),
      body: { action_name: action, input },
    });
  }

  /** Queues an action; its result comes from `getResult`, or by webhook. */
  async triggerAsync(
    { maxRetries = 0, ...call }: ActionCall & { readonly maxRetries?: number },
    options: ChangeOptions = {},
  ): Promise<AsyncAction> {
    const { providerConfigKey, connectionId, action, input } = call;
    const asked = { "x-async": "true", "x-max-retries": String(maxRetries) };
    return await this.http.json({
      ...options,
      method: "POST",
      path: "/action/trigger",
      headers: { ...headersOf(providerConfigKey, connectionId), ...asked },
      body: { action_name: action, input },
    });
  }

  /** The output; while there is none yet, waits for up to `waitFor` milliseconds (none unless said). */
  async getResult<Output>(
    action: Partial<AsyncAction>,
    options: { waitFor?: number; signal?: AbortSignal } = {},
  ): Promise<Output> {
    const path = action.statusUrl ?? `/action/${encode(action.id ?? "")}`;
    const { waitFor: timeout = 0, signal } = options;
    const end = Date.now() + timeout;
    const { output } = await waitFor(
      async () => {
        try {
          return { output: await this.http.json<Output>({ method: "GET", path, signal }) };
        } catch (error) {
          if (Date.now() >= end || !isPending(error)) throw error;
          return undefined;
        }
      },
      { timeout, ...(signal === undefined ? {} : { signal }) },
    );
    return output;
  }
}

/** A pending result says when to ask again; an unknown one does not. */
function isPending(error: unknown): boolean {
  if (!(error instanceof JackfieldError)) return false;
  return error.status === 404 && error.retryAfter !== undefined;
}
