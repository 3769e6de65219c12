import { type Api, callApi, field } from "./api.ts";
import { AuthError } from "./auth-error.ts";
import type { AuthOptions, AuthResult } from "./auth-options.ts";
import { toAuthorizationQuery } from "./authorization-query.ts";
import type { OAuthClientOverride } from "./credentials.ts";
import { hearCallbackPage, openPopup, type PopupSize, watchClosing } from "./popup.ts";
import { waitForResult } from "./wait-for-result.ts";

interface Attempt {
  readonly integration: string;
  readonly options: AuthOptions;
  readonly connectionId?: string | undefined;
  readonly signal: AbortSignal;
}

/** Sends credentials that the end user typed. */
export async function postCredentials(
  api: Api,
  { integration, options, connectionId: named, signal }: Attempt,
  { path, body }: { path: string; body: unknown },
): Promise<AuthResult> {
  const query = toAuthorizationQuery(api.sessionToken, options, { connectionId: named });
  query.set("attempt_id", newAttemptId());
  const answer = await callApi(api, {
    method: "POST",
    path: `${path}/${encodeURIComponent(integration)}`,
    query,
    body,
    signal,
  });
  const connectionId = field(answer, "connectionId");
  const providerConfigKey = field(answer, "providerConfigKey");
  if (typeof connectionId !== "string" || typeof providerConfigKey !== "string") {
    throw new AuthError("The server's answer names no connection.", "unknown_error");
  }
  const isPending = field(answer, "isPending") === true;
  return { connectionId, providerConfigKey, ...(isPending ? { isPending } : {}) };
}

/** Sends the end user to the provider's pages, in a window of their own or in this one. */
export async function authorizeInBrowser(
  api: Api,
  { integration, options, connectionId, signal }: Attempt,
  { override, size }: { override: OAuthClientOverride; size: PopupSize },
): Promise<AuthResult> {
  const query = toAuthorizationQuery(api.sessionToken, options, { override, connectionId });
  const attemptId = newAttemptId();
  query.set("attempt_id", attemptId);
  const address = `${api.host}/oauth/connect/${encodeURIComponent(integration)}`;
  if (options.flow === "redirect") {
    window.location.assign(`${address}?${query}`);
    return await new Promise(() => undefined);
  }
  query.set("opener_origin", window.location.origin);
  // Nothing may be awaited before this line: browsers open windows only within a click.
  const popup = openPopup(`${address}?${query}`, size);
  return await followPopup(api, popup, { attemptId, options, signal });
}

async function followPopup(
  api: Api,
  popup: Window,
  { attemptId, options, signal }: { attemptId: string; options: AuthOptions; signal: AbortSignal },
): Promise<AuthResult> {
  const over = new AbortController();
  const closed = new AbortController();
  const changes = new EventTarget();
  hearCallbackPage(popup, {
    origin: new URL(api.host).origin,
    signal: over.signal,
    onEnd: () => changes.dispatchEvent(new Event("change")),
  });
  watchClosing(popup, over.signal, () => {
    changes.dispatchEvent(new Event("change"));
    options.onWindowClosed?.();
    if (options.detectClosedAuthWindow === true) {
      // What ended the flow may be on its way: the window also closes after a success.
      setTimeout(() => closed.abort(windowClosed()), LAST_EVENT_WITHIN_MS);
    }
  });
  try {
    return await waitForResult(api, {
      attemptId,
      changes,
      signal: AbortSignal.any([signal, closed.signal]),
    });
  } finally {
    over.abort();
    popup.close();
  }
}

/** Not a UUID: browsers make those only on secure pages, and an installation may be served on plain http. */
function newAttemptId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const LAST_EVENT_WITHIN_MS = 1500;

function windowClosed(): AuthError {
  return new AuthError("The window was closed before the authorization ended.", "window_closed");
}
