import { type Api, callApi, cancelled, parseJson, send, toAuthError } from "./api.ts";
import { AuthError } from "./auth-error.ts";
import type { AuthResult } from "./auth-options.ts";
import { readEvents } from "./read-events.ts";
import { parseSessionResult, type SessionResult } from "./session-result.ts";

const FIRST_EVENT_WITHIN_MS = 5000;
const SILENT_FOR_MS = 60_000;
const POLL_EVERY_MS = 1500;

export interface Waiting {
  readonly attemptId: string;
  readonly signal: AbortSignal;
  /** Fires when the result may have changed, so that it is fetched at once. */
  readonly changes: EventTarget;
}

/**
 * Learns from the server how an attempt ended: by server-sent events, and by polling where those do
 * not get through. Rejects with the AuthError of the attempt, or when `signal` aborts.
 */
export async function waitForResult(api: Api, waiting: Waiting): Promise<AuthResult> {
  const done = new AbortController();
  const signal = AbortSignal.any([waiting.signal, done.signal]);
  try {
    return await Promise.race([
      listen(api, { ...waiting, signal }),
      pollOnChange(api, { ...waiting, signal }),
      rejectOnAbort(waiting.signal),
    ]);
  } finally {
    done.abort();
  }
}

async function listen(api: Api, waiting: Waiting): Promise<AuthResult> {
  let streams = true;
  while (!waiting.signal.aborted) {
    const streamed: SessionResult | undefined = streams
      ? await readStream(api, waiting)
      : undefined;
    if (streamed !== undefined && streamed.state !== "waiting") return settle(streamed);
    streams = streamed !== undefined;
    const polled = await poll(api, waiting);
    if (polled.state !== "waiting") return settle(polled);
    await delay(POLL_EVERY_MS, waiting.signal);
  }
  throw cancelled();
}

/** The first result that says more than `waiting`; undefined when events do not get through. */
async function readStream(
  api: Api,
  { attemptId, signal }: Waiting,
): Promise<SessionResult | undefined> {
  const quiet = new AbortController();
  let timer = setTimeout(() => quiet.abort(), FIRST_EVENT_WITHIN_MS);
  const stay = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => quiet.abort(), SILENT_FOR_MS);
  };
  let heard = false;
  try {
    const response = await send(api, {
      path: `/connect/session/events?attempt_id=${attemptId}`,
      signal: AbortSignal.any([signal, quiet.signal]),
    });
    if (!response.ok) throw toAuthError(response.status, parseJson(await response.text()));
    if (response.body === null) return undefined;
    for await (const data of readEvents(response.body, stay)) {
      heard = true;
      const result = parseSessionResult(parseJson(data), attemptId);
      if (result.state !== "waiting") return result;
    }
  } catch (error) {
    if (error instanceof AuthError && isFinal(error)) throw error;
  } finally {
    clearTimeout(timer);
  }
  return heard ? { state: "waiting" } : undefined;
}

async function poll(api: Api, { attemptId, signal }: Waiting): Promise<SessionResult> {
  try {
    const body = await callApi(api, {
      path: `/connect/session/result?attempt_id=${attemptId}`,
      signal,
    });
    return parseSessionResult(body, attemptId);
  } catch (error) {
    if (error instanceof AuthError && isFinal(error)) throw error;
    return { state: "waiting" };
  }
}

/** Polls on each change; never settles by itself otherwise. */
async function pollOnChange(api: Api, waiting: Waiting): Promise<AuthResult> {
  return await new Promise((resolve, reject) => {
    const onChange = async (): Promise<void> => {
      const result = await poll(api, waiting).catch((error: unknown) => {
        reject(error);
      });
      if (result === undefined || result.state === "waiting") return;
      if (result.state === "success") resolve(result.result);
      else reject(result.error);
    };
    waiting.changes.addEventListener("change", () => void onChange(), { signal: waiting.signal });
  });
}

function settle(result: Exclude<SessionResult, { state: "waiting" }>): AuthResult {
  if (result.state === "error") throw result.error;
  return result.result;
}

/** Being offline or a server that restarts ends no attempt; an unknown or expired session does. */
function isFinal({ type }: AuthError): boolean {
  return /session_token$|^deprecated_authentication$|^forbidden$/.test(type);
}

async function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return await new Promise((_resolve, reject) => {
    const fail = (): void => {
      reject(signal.reason instanceof AuthError ? signal.reason : cancelled());
    };
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}

async function delay(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
