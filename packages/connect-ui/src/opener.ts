import type { ConnectUIEvent } from "@jackfield/frontend";

/** The page that shows this one in a frame or opened it. */
export interface Opener {
  readonly isFrame: boolean;
  /** Whether this page can ask to be closed. */
  readonly canClose: boolean;
  /** Whether it may send a session token. */
  readonly maySendToken: boolean;
  tell(event: ConnectUIEvent): void;
  /** Says that a session token may come. */
  announce(): void;
  /** Calls back with a session token that the opener sends, and with its origin where that is not known yet. */
  onSessionToken(listener: (token: string, stranger: string | undefined) => void): void;
  /** Tells this origin from now on. */
  trust(origin: string): void;
}

/**
 * Messages go to `origin` alone and come from there alone. A page around a frame that did not name itself may send a
 * token, and hears nothing but that one may come, until the session is known to allow it.
 */
export function findOpener(origin: string | undefined): Opener {
  const isFrame = window.parent !== window;
  const page: Window | null = isFrame ? window.parent : window.opener;
  // Where the browser names the page around, it has to be the one that was promised.
  const around = isFrame ? window.location.ancestorOrigins?.[0] : undefined;
  const isKnown = page !== null && origin !== undefined && (around ?? origin) === origin;
  const mayBeLearnt = isFrame && origin === undefined;
  let trusted = isKnown ? origin : undefined;
  return {
    isFrame,
    canClose: page !== null,
    maySendToken: isKnown || mayBeLearnt,
    tell(event) {
      if (trusted !== undefined) page?.postMessage(event, trusted);
    },
    announce() {
      if (isKnown || mayBeLearnt) page?.postMessage({ type: "ready" }, trusted ?? "*");
    },
    onSessionToken(listener) {
      window.addEventListener("message", (event: MessageEvent<unknown>) => {
        if (event.source !== page || (trusted ?? event.origin) !== event.origin) return;
        if (!isKnown && !mayBeLearnt) return;
        const token = readSessionToken(event.data);
        if (token !== undefined) listener(token, trusted === undefined ? event.origin : undefined);
      });
    },
    trust(origin) {
      trusted = origin;
    },
  };
}

function readSessionToken(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { type, sessionToken }: { type?: unknown; sessionToken?: unknown } = data;
  return type === "session_token" && typeof sessionToken === "string" ? sessionToken : undefined;
}
