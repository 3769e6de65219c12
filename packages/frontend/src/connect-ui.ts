import { field, parseHost } from "./api.ts";

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
  /** Without it the page opens when `setSessionToken` is called. */
  readonly sessionToken?: string;
  readonly onEvent?: (event: ConnectUIEvent) => void;
  /** Address of the hosted page; `<host>/connect/` unless set. */
  readonly baseURL?: string;
  /** Report `window_closed` when the end user closes the provider's window. */
  readonly detectClosedAuthWindow?: boolean;
  /** Language of the page, as in `en`. */
  readonly lang?: string;
  readonly themeOverride?: "light" | "dark" | "system";
}

const eventTypes: ReadonlySet<unknown> = new Set([
  "ready",
  "close",
  "connect",
  "error",
  "settings_changed",
]);

/** The hosted page in a modal frame that covers the window; made by `openConnectUI`. */
export class ConnectUI {
  readonly #options: ConnectUIOptions;
  readonly #address: URL;
  readonly #dialog: HTMLDialogElement;
  readonly #frame: HTMLIFrameElement;
  readonly #over = new AbortController();
  readonly #overflowBefore = document.documentElement.style.overflow;

  constructor(host: string, options: ConnectUIOptions) {
    this.#options = options;
    this.#address = new URL(`${parseHost(options.baseURL ?? `${host}/connect`)}/`);
    this.#frame = newFrame();
    this.#dialog = newDialog(this.#frame);
    this.#dialog.addEventListener("cancel", () => this.#tell({ type: "close" }));
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
  setSessionToken(sessionToken: string): void {
    const url = new URL(this.#address);
    const { lang, themeOverride, detectClosedAuthWindow } = this.#options;
    const systemTheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    url.searchParams.set("session_token", sessionToken);
    url.searchParams.set("opener_origin", window.location.origin);
    // A frame sees the colour scheme of its element, so the system's own is told to it.
    url.searchParams.set("system_theme", systemTheme);
    if (lang !== undefined) url.searchParams.set("lang", lang);
    if (themeOverride !== undefined) url.searchParams.set("theme", themeOverride);
    if (detectClosedAuthWindow === true) url.searchParams.set("detectClosedAuthWindow", "true");
    this.#frame.src = url.href;
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
    if (event.data.type === "ready") this.#frame.focus();
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

function newDialog(content: HTMLElement): HTMLDialogElement {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", TITLE);
  Object.assign(dialog.style, { ...wholeWindow, background: "none", overflow: "hidden" });
  dialog.append(content);
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

/** The origin and the source are checked before; the hosted page is trusted to send what it says. */
function isConnectUIEvent(data: unknown): data is ConnectUIEvent {
  return eventTypes.has(field(data, "type"));
}
