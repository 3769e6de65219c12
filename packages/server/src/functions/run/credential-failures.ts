import type { RunError } from "@jackfield/contract/runtime";
import { findCredentialFailure } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { type Call, type CallAnswer, CallError } from "#foundation/sandbox";
import { toRunError } from "./call-platform.ts";
import type { FunctionRun } from "./function-run.ts";

/** How runs end whose connection has no credentials that work. */
export const credentialFailureTypes: ReadonlySet<string> = new Set([
  "invalid_credentials",
  "connection_frozen",
  "connection_refresh_backoff",
  "integration_misconfigured",
]);

/** Whether a run failed since its connection has no credentials that work: its function is not at fault. */
export function isCredentialFailure({ type }: Pick<RunError, "type">): boolean {
  return credentialFailureTypes.has(type);
}

/**
 * What the calls of a run have shown of its connection's credentials. A function may throw what it likes, under any
 * name: only a call that the server refused makes a run one that failed for its credentials. Those of other connections
 * do not: who called the function would ask the wrong user to connect again.
 */
export class CredentialFailures {
  readonly #run: Pick<FunctionRun, "integration" | "connection">;
  readonly #refused = new Map<string, RunError>();
  /** The provider has answered 401, which the function reads as it is. */
  #wasUnauthorized = false;

  constructor(run: Pick<FunctionRun, "integration" | "connection">) {
    this.#run = run;
  }

  /** Has a call done, and looks at how it ends. */
  async pass(call: Call, ask: () => Promise<CallAnswer>): Promise<CallAnswer> {
    if (!this.#isOwn(call)) return await ask();
    try {
      const answer = await ask();
      const { status }: { status?: unknown } = Object(answer.value);
      if (call.method === "proxy" && status === 401) this.#wasUnauthorized = true;
      return answer;
    } catch (error) {
      if (error instanceof CallError && isCredentialFailure(error.error)) {
        this.#refused.set(error.error.type, error.error);
      }
      throw error;
    }
  }

  /** How the run has failed, in the server's words where its credentials are the cause. */
  async settle(ctx: EnvironmentContext, reported: RunError): Promise<RunError> {
    const { retryAt: _, ...error } = reported;
    if (isCredentialFailure(error)) {
      const refused = this.#refused.get(error.type);
      return refused === undefined ? toException(error) : at(error, refused);
    }
    const isRefusal = error.type === "script_http_error" && error.upstream?.status === 401;
    if (!isRefusal || !this.#wasUnauthorized) return error;
    const failure = await findCredentialFailure(ctx, this.#run.connection.uuid);
    return failure === undefined ? error : at(error, toRunError(failure, ctx.clock.now()));
  }

  #isOwn({ params }: Call): boolean {
    const { integration, connection } = this.#run;
    const { providerConfigKey = integration.uniqueKey, connectionId = connection.connectionId } =
      Object(params);
    return providerConfigKey === integration.uniqueKey && connectionId === connection.connectionId;
  }
}

/** With the line of the function that let it through. */
function at({ stack }: RunError, { status: _, ...known }: RunError): RunError {
  return stack === undefined ? known : { ...known, stack };
}

/** An exception like others, which names the code. */
function toException({ type: code, message, stack }: RunError): RunError {
  const stacktrace = stack?.split("\n").slice(1) ?? [];
  const payload = { name: "RunFailure", code, message, stacktrace };
  return {
    ...{ type: "script_internal_error", message, payload },
    ...(stack === undefined ? {} : { stack }),
  };
}
