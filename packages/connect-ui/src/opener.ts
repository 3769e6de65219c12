import type { ConnectUIEvent } from "@jackfield/frontend";

/** The page that shows this one in a frame or opened it. */
export interface Opener {
  readonly isFrame: boolean;
  /** Whether this page can ask to be closed. */
  readonly canClose: boolean;
  /** Whether it may be told anything, and may send a session token. */
  readonly isKnown: boolean;
  tell(event: ConnectUIEvent): void;
  /** Calls back with a session token that the opener sends. */
  onSessionToken(listener: (token: string) => void): void;
}

/** Messages go to `origin` alone and come from there alone; without it nobody hears anything. */
export function findOpener(origin: string | undefined): Opener {
  const isFrame = window.parent !== window;
  const page: Window | null = isFrame ? window.parent : window.opener;
  // Where the browser names the page around, it has to be the one that was promised.
  const around = isFrame ? window.location.ancestorOrigins?.[0] : undefined;
  const isKnown = page !== null && origin !== undefined && (around ?? origin) === origin;
  return {
    isFrame,
    canClose: page !== null,
    isKnown,
    tell(event) {
      if (isKnown) page.postMessage(event, origin);
    },
    onSessionToken(listener) {
      window.addEventListener("message", (event: MessageEvent<unknown>) => {
        if (!isKnown || event.origin !== origin || event.source !== page) return;
        const token = readSessionToken(event.data);
        if (token !== undefined) listener(token);
      });
    },
  };
}

function readSessionToken(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { type, sessionToken }: { type?: unknown; sessionToken?: unknown } = data;
  return type === "session_token" && typeof sessionToken === "string" ? sessionToken : undefined;
}
