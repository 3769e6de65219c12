import { field } from "./api.ts";
import { AuthError } from "./auth-error.ts";

export interface PopupSize {
  readonly width: number;
  readonly height: number;
}

/** Opens the provider's window; throws `blocked_by_browser`. Call it within the click that asked for it. */
export function openPopup(url: string, { width, height }: PopupSize): Window {
  const left = Math.max(0, window.screenX + (window.outerWidth - width) / 2);
  const top = Math.max(0, window.screenY + (window.outerHeight - height) / 3);
  const features = { popup: "yes", width, height, left: Math.round(left), top: Math.round(top) };
  const text = Object.entries(features)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
  const popup = window.open(url, "_blank", text);
  if (popup === null) {
    throw new AuthError(
      "The browser blocked the window. Allow pop-ups for this site and try again.",
      "blocked_by_browser",
    );
  }
  return popup;
}

const CHECK_EVERY_MS = 500;

/**
 * Calls back once when the window is closed. A provider's page that cuts the tie to its opener reads
 * as closed too, but then the focus is there and not here.
 */
export function watchClosing(popup: Window, signal: AbortSignal, onClosed: () => void): void {
  let seen = 0;
  const timer = setInterval(() => {
    seen = popup.closed && document.hasFocus() ? seen + 1 : 0;
    if (seen < 2) return;
    clearInterval(timer);
    onClosed();
  }, CHECK_EVERY_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
}

const endTypes: ReadonlySet<unknown> = new Set([
  "svc_oauth_callback_success",
  "svc_oauth_callback_error",
]);

/**
 * Listens to the callback page: its word is only a hint to ask the server, and only taken from the
 * platform's own origin. The page may close when it hears the answer.
 */
export function hearCallbackPage(
  popup: Window,
  { origin, signal, onEnd }: { origin: string; signal: AbortSignal; onEnd: () => void },
): void {
  const onMessage = (event: MessageEvent<unknown>): void => {
    if (event.origin !== origin || event.source !== popup) return;
    if (!endTypes.has(field(event.data, "type"))) return;
    popup.postMessage({ type: "svc_oauth_callback_ack" }, origin);
    onEnd();
  };
  window.addEventListener("message", onMessage, { signal });
}
