import type { Theme } from "@jackfield/ui/theme.ts";
import { findVisit, keepVisit } from "./visit.ts";

/** What the page was opened with. */
export interface PageParameters {
  readonly sessionToken: string | undefined;
  /** Origin of the page that shows this one in a frame or opened it; the only one that gets messages. */
  readonly openerOrigin: string | undefined;
  readonly theme: Theme | undefined;
  /** The system's theme as the page around a frame sees it. */
  readonly systemTheme: "light" | "dark" | undefined;
  readonly lang: string | undefined;
  readonly detectClosedAuthWindow: boolean;
}

/**
 * Reads the parameters of query and fragment and takes both out of the address bar, so that the
 * session token stays neither in the history nor on the screen. A page that is loaded again has those it began with.
 */
export function takePageParameters(): PageParameters {
  const { search, hash } = window.location;
  if (search === "" && hash === "") return { ...noParameters, ...Object(findVisit()) };
  const query = new URLSearchParams(search);
  const fragment = new URLSearchParams(hash.replace(/^#/, ""));
  const parameters = {
    sessionToken: fragment.get("session_token") ?? query.get("session_token") ?? undefined,
    openerOrigin: toOrigin(query.get("opener_origin")),
    theme: toTheme(query.get("theme")),
    systemTheme: oneOf(["light", "dark"], query.get("system_theme")),
    lang: query.get("lang") ?? undefined,
    detectClosedAuthWindow: query.get("detectClosedAuthWindow") === "true",
  };
  keepVisit(parameters);
  return parameters;
}

const noParameters: PageParameters = {
  sessionToken: undefined,
  openerOrigin: undefined,
  theme: undefined,
  systemTheme: undefined,
  lang: undefined,
  detectClosedAuthWindow: false,
};

function oneOf<const Value extends string>(
  values: readonly Value[],
  text: string | null,
): Value | undefined {
  return values.find((value) => value === text);
}

function toOrigin(text: string | null): string | undefined {
  const url = text !== null && URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

export function toTheme(text: string | null): Theme | undefined {
  return oneOf(["light", "dark", "system"], text);
}
