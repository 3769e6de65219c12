import { callApi, field, parseHost } from "./api.ts";
import { AuthError } from "./auth-error.ts";
import { newLoadingView } from "./loading-view.ts";

/** What the hosted page tells the page that shows it. */
export type ConnectUIEvent =
  | { readonly type: "ready" }
  | { readonly type: "close" }
  | {
      readonly type: "connect";
      readonly payload: {
        readonly connectionId: string;
        readonly providerConfigKey: string;
        readonly isPending?: boolean;
      };
    }
  | {
      readonly type: "error";
      readonly payload: { readonly errorType: string; readonly errorMessage: string };
    }
  | { readonly type: "settings_changed"; readonly payload: unknown };

export interface ConnectUIOptions {
  /** Of the connect session, or the promise of it. Without it the page opens when `setSessionToken` is called. */
  readonly sessionToken?: string | Promise<string>;
  /**
   * What happens on the page. An `error` that ends it (an unknown session, a platform that cannot be reached, a token
   * that does not come) is followed by `close`, with the overlay gone.
   */
  readonly onEvent?: (event: ConnectUIEvent) => void;
  /** Address of the hosted page; `<host>/connect/` unless set. */
  readonly baseURL?: string;
  /** Report `window_closed` when the end user closes the provider's window. */
  readonly detectClosedAuthWindow?: boolean;
  /** Language of the page, as in `en`. */
  readonly lang?: string;
  readonly themeOverride?: "light" | "dark" | "system";
  /** Milliseconds within which the page has to be there; 20,000 unless set. */
  readonly loadTimeout?: number;
}

const LOAD_TIMEOUT_MS = 20_000;

const eventTypes: ReadonlySet<unknown> = new Set([
  "ready",
  "close",
  "connect",
  "error",
  "settings_changed",
]);

/** The hosted page in a modal frame that covers the window; made by `openConnectUI`. */
export class ConnectUI {
  readonly #host: string;
  readonly #options: ConnectUIOptions;
  readonly #address: URL;
  readonly #dialog: HTMLDialogElement;
  readonly #frame: HTMLIFrameElement;
  readonly #loading: HTMLElement;
  readonly #over = new AbortController();
  readonly #overflowBefore = document.documentElement.style.overflow;
  /** Counts tokens: what an earlier one leads to is of no interest any more. */
  #turn = 0;

  constructor(host: string, options: ConnectUIOptions) {
    this.#host = host;
    this.#options = options;
    this.#address = new URL(`${parseHost(options.baseURL ?? `${host}/connect`)}/`);
    this.#frame = newFrame();
    this.#loading = newLoadingView(options.lang, () => this.#tell({ type: "close" }));
    this.#dialog = newDialog(this.#frame, this.#loading);
    this.#dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.#tell({ type: "close" });
    });
    window.addEventListener("message", (event) => this.#hear(event), {
      signal: this.#over.signal,
    });
    document.documentElement.style.overflow = "hidden";
    document.body.append(this.#dialog);
    // Modal: the page behind takes no focus, and gets it back afterwards.
    this.#dialog.showModal();
    if (options.sessionToken !== undefined) this.setSessionToken(options.sessionToken);
  }

  /** Loads the page for this session; for tokens that are fetched after the click. */
  setSessionToken(sessionToken: string | Promise<string>): void {
    this.#turn += 1;
    const turn = this.#turn;
    if (typeof sessionToken === "string") this.#load(sessionToken, turn);
    else {
      sessionToken.then(
        (token) => this.#load(token, turn),
        (reason: unknown) => {
          const why = reason instanceof Error ? reason.message : String(reason);
          const message = `The session token could not be fetched: ${why}`;
          this.#fail(turn, new AuthError(message, "session_token_failed"));
        },
      );
    }
  }

  #load(sessionToken: string, turn: number): void {
    if (this.#over.signal.aborted || turn !== this.#turn) return;
    if (typeof sessionToken !== "string" || sessionToken === "") {
      const message = "There is no session token. Pass the token that your backend got.";
      this.#fail(turn, new AuthError(message, "missing_auth_token"));
      return;
    }
    const url = new URL(this.#address);
    const { lang, themeOverride, detectClosedAuthWindow } = this.#options;
    const systemTheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    url.searchParams.set("session_token", sessionToken);
    url.searchParams.set("opener_origin", window.location.origin);
    // A frame sees the colour scheme of its element, so it gets the system's own as a parameter.
    url.searchParams.set("system_theme", systemTheme);
    if (lang !== undefined) url.searchParams.set("lang", lang);
    if (themeOverride !== undefined) url.searchParams.set("theme", themeOverride);
    if (detectClosedAuthWindow === true) url.searchParams.set("detectClosedAuthWindow", "true");
    this.#frame.src = url.href;
    this.#watch(sessionToken, turn);
  }

  /** A frame does not tell that its page did not load, so the session is also looked up. */
  #watch(sessionToken: string, turn: number): void {
    const { signal } = this.#over;
    const api = { host: this.#host, sessionToken };
    callApi(api, { path: "/connect/session", signal }).catch((error: unknown) => {
      this.#fail(turn, error);
    });
    const message = `The page at ${this.#address.origin} did not load. Is ${window.location.origin} in the session's allowed_origins?`;
    const timer = setTimeout(() => {
      if (this.#loading.isConnected) this.#fail(turn, new AuthError(message, "page_not_loaded"));
    }, this.#options.loadTimeout ?? LOAD_TIMEOUT_MS);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  }

  /** The overlay goes with what ended it. */
  #fail(turn: number, error: unknown): void {
    if (this.#over.signal.aborted || turn !== this.#turn) return;
    const isKnown = error instanceof AuthError;
    const errorType = isKnown ? error.type : "unknown_error";
    const errorMessage = isKnown ? error.message : String(error);
    this.close();
    this.#options.onEvent?.({ type: "error", payload: { errorType, errorMessage } });
    this.#options.onEvent?.({ type: "close" });
  }

  /** Takes the page away; `onEvent` hears nothing more. */
  close(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#dialog.close();
    this.#dialog.remove();
    document.documentElement.style.overflow = this.#overflowBefore;
  }

  #hear(event: MessageEvent<unknown>): void {
    if (event.origin !== this.#address.origin) return;
    if (event.source !== this.#frame.contentWindow) return;
    if (!isConnectUIEvent(event.data)) return;
    if (event.data.type === "ready") {
      this.#loading.remove();
      this.#frame.focus();
    }
    this.#tell(event.data);
  }

  #tell(event: ConnectUIEvent): void {
    if (event.type === "close") this.close();
    this.#options.onEvent?.(event);
  }
}

const TITLE = "Connect an account";

const wholeWindow = {
  position: "fixed",
  inset: "0",
  width: "100%",
  height: "100%",
  maxWidth: "none",
  maxHeight: "none",
  margin: "0",
  padding: "0",
  border: "0",
};

function newDialog(...content: readonly HTMLElement[]): HTMLDialogElement {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", TITLE);
  Object.assign(dialog.style, { ...wholeWindow, background: "none", overflow: "hidden" });
  dialog.append(...content);
  return dialog;
}

function newFrame(): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.id = "connect-ui";
  frame.title = TITLE;
  frame.referrerPolicy = "no-referrer";
  Object.assign(frame.style, {
    ...wholeWindow,
    background: "rgb(15 20 28 / 45%)",
    // Frames are see-through only where their colour scheme is that of the document inside.
    colorScheme: "light",
  });
  return frame;
}

/** Callers have checked the origin and the source; the message of the hosted page is trusted. */
function isConnectUIEvent(data: unknown): data is ConnectUIEvent {
  return eventTypes.has(field(data, "type"));
}
