import type { IncomingMessage } from "node:http";
import type { AppError } from "#foundation";

// Kept with its key: one request.
const failures = new WeakMap<IncomingMessage, AppError>();

/** The request has failed before there was an answer; the next handler reports it to the caller. */
export function failLater(request: IncomingMessage, error: AppError): void {
  failures.set(request, error);
}

export function throwEarlierFailure(request: IncomingMessage): void {
  const error = failures.get(request);
  if (error !== undefined) throw error;
}
