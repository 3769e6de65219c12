import type { Deprecation } from "@jackfield/contract";

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and links to what takes the path's place. */
export function toDeprecationHeaders(
  { since, sunset, use }: Deprecation,
  params: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const template = use.replace(/^[A-Z]+ /, "");
  const target = template.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = params[name];
    return typeof value === "string" ? encodeURIComponent(value) : encodeURIComponent(placeholder);
  });
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `<${target}>; rel="successor-version", </docs/api>; rel="deprecation"; type="text/html"`,
  };
}
