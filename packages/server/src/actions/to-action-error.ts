import { actionErrors } from "@jackfield/contract";
import type { RunError } from "@jackfield/contract/runtime";
import { AppError, SECOND } from "#foundation";

/** What did not start for want of a process may be asked for again soon. */
const RETRY_SOON = { "Retry-After": "1" };

/** The answer to a call whose action failed: payload and upstream go into `errors`. */
export function toActionError(error: RunError, now: Date): AppError {
  // Any other type is an exception like others.
  const code = actionErrors.find((known) => known === error.type) ?? "script_internal_error";
  const details = toDetails(error);
  return new AppError(code, error.message, {
    ...(details === undefined ? {} : { details }),
    ...(code === "overloaded" ? { headers: RETRY_SOON } : {}),
    ...(code === "connection_refresh_backoff" ? { headers: retryAfter(error, now) } : {}),
  });
}

/** A result that is read later than that may be asked for again at once. */
function retryAfter({ retryAt }: RunError, now: Date): Record<string, string> {
  const waitMs = retryAt === undefined ? 0 : Date.parse(retryAt) - now.getTime();
  return { "Retry-After": String(Math.max(1, Math.ceil(waitMs / SECOND))) };
}

function toDetails({ payload, upstream }: RunError): Record<string, unknown>[] | undefined {
  if (upstream !== undefined) return [{ upstream }];
  if (payload === undefined || payload === null) return undefined;
  if (isPlainObject(payload)) return [payload];
  return [Array.isArray(payload) ? { payload } : { message: payload }];
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
