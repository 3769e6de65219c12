import { cleanText, Unsupported } from "@jackfield/functions/openapi";
import { toMember } from "./literals.ts";

/** The path of calls as a template literal; `keys` has the input's field for each parameter. Throws Unsupported. */
export function toEndpoint(path: string, keys: ReadonlyMap<string, string>): string {
  const shown = JSON.stringify(cleanText(path, 100));
  if (!/^\/(?!\/)/.test(path)) throw new Unsupported(`has the path ${shown}, which is no path`);
  if (/[?#\\]/.test(path) || path.split("/").some((part) => /^(\.|%2e){1,2}$/i.test(part))) {
    throw new Unsupported(`has the path ${shown}, which is not the address of one thing`);
  }
  const parts = path.split(/\{([^{}]*)\}/).map((part, index) => {
    if (index % 2 === 0) return toStaticPart(part, shown);
    const key = keys.get(part);
    if (key !== undefined) return `\${pathPart(${toMember("input", key)})}`;
    const name = JSON.stringify(cleanText(part, 80));
    throw new Unsupported(`does not say what the part ${name} of its path is`);
  });
  return parts.length === 1 ? JSON.stringify(parts[0]) : `\`${parts.join("")}\``;
}

/** Only characters that a path may have (RFC 3986), so nothing in it ends or opens anything in a source. */
function toStaticPart(part: string, shown: string): string {
  const encoded = part
    .toWellFormed()
    .replaceAll(/[^A-Za-z0-9\-._~!&'()*+,;=:@%/$]/g, (character) => encodeURIComponent(character));
  if (!/[{}]/.test(part)) return encoded.replaceAll("$", "%24");
  throw new Unsupported(`has the path ${shown}, whose braces do not match`);
}
