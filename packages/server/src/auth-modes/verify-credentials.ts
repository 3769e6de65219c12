import { renderOptional } from "@jackfield/catalogue";
import { AppError, SECOND } from "#platform";
import type {
  AuthMode,
  AuthSubject,
  AuthTools,
  Credentials,
  OutgoingRequest,
} from "./auth-mode.ts";
import { findBaseUrl } from "./find-base-url.ts";
import { toTemplateValues } from "./template-values.ts";

const TIMEOUT_MS = 20 * SECOND;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Calls what the entry names as its verification; throws connection_test_failed unless it answers 2xx. */
export async function verifyCredentials(
  mode: AuthMode,
  subject: AuthSubject,
  credentials: Credentials,
  tools: AuthTools,
): Promise<void> {
  const { verification, display_name: name } = subject.provider;
  const baseUrl = findBaseUrl(subject);
  if (verification === undefined || baseUrl === undefined) return;
  const request: OutgoingRequest = {
    method: verification.method,
    url: baseUrl + verification.path,
    headers: new Map([["accept", "application/json"]]),
    query: new Map(),
  };
  addEntryHeaders(subject, request);
  mode.apply(subject, credentials, request);
  const status = await call(request, tools);
  if (status >= 200 && status < 300) return;
  if (status === 401 || status === 403) {
    throw new AppError(
      "connection_test_failed",
      `${name} refused these credentials with status ${status}; check them and try again.`,
    );
  }
  throw new AppError(
    "connection_test_failed",
    `${name} answered the test call with status ${status}, so the credentials could not be checked; try again later.`,
  );
}

function addEntryHeaders(subject: AuthSubject, request: OutgoingRequest): void {
  for (const [name, template] of Object.entries(subject.provider.headers)) {
    const value = renderOptional(template, toTemplateValues(subject));
    if (value !== undefined) request.headers.set(name.toLowerCase(), value);
  }
}

async function call(request: OutgoingRequest, tools: AuthTools): Promise<number> {
  const url = new URL(request.url);
  for (const [name, value] of request.query) url.searchParams.append(name, value);
  try {
    const answer = await tools.http.request({
      method: request.method,
      url: url.href,
      headers: Object.fromEntries(request.headers),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
      signal: tools.signal,
    });
    return answer.status;
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "destination_not_allowed") throw error;
    const message = `The credentials could not be checked: ${error.message}`;
    throw new AppError("connection_test_failed", message, { cause: error });
  }
}
