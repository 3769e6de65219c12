import { type PageParameters, toTheme } from "../page-parameters.ts";
import { findVisit, keepVisit } from "../visit.ts";

export interface LinkParameters extends Pick<PageParameters, "lang" | "theme" | "systemTheme"> {
  readonly token: string;
}

/** Takes the token out of the address before anything else sees it. */
export function takeLinkParameters(): LinkParameters {
  const { search, hash } = window.location;
  if (hash === "") return { ...nothing, ...Object(findVisit()) };
  const query = new URLSearchParams(search);
  const parameters = {
    ...nothing,
    token: hash.slice(1),
    theme: toTheme(query.get("theme")),
    lang: query.get("lang") ?? undefined,
  };
  keepVisit(parameters);
  return parameters;
}

const nothing: LinkParameters = {
  token: "",
  theme: undefined,
  systemTheme: undefined,
  lang: undefined,
};
