/** What every page and file of the connect flow is sent with. */
export const commonHeaders = {
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** A content security policy; directives without a source allow nothing. */
export function toPolicy(directives: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.length === 0 ? "'none'" : sources.join(" ")}`)
    .join("; ");
}
