import qs from "qs";

/** A query or a posted form; nested keys are written `tags[a]=b`. */
export function parseQuery(text: string): Record<string, unknown> {
  return qs.parse(text, { depth: 5, arrayLimit: 100, parameterLimit: 1000, plainObjects: false });
}
