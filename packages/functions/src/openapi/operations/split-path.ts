import { cleanText } from "../clean-text.ts";
import { Unsupported } from "../document/references.ts";

/** Literal parts of a path, and in turn the name of what is between them. Throws Unsupported. */
export function splitPath(path: string, keys: ReadonlyMap<string, string>): string[] {
  const shown = JSON.stringify(cleanText(path, 100));
  if (!/^\/(?!\/)/.test(path)) throw new Unsupported(`has the path ${shown}, which is no path`);
  if (/[?#\\]/.test(path) || path.split("/").some((part) => /^(\.|%2e){1,2}$/i.test(part))) {
    throw new Unsupported(`has the path ${shown}, which is not the address of one thing`);
  }
  return path.split(/\{([^{}]*)\}/).map((part, index) => {
    if (index % 2 === 0) return toLiteralPart(part, shown);
    const key = keys.get(part);
    if (key !== undefined) return key;
    const name = JSON.stringify(cleanText(part, 80));
    throw new Unsupported(`does not say what the part ${name} of its path is`);
  });
}

/** Only characters that a path may have (RFC 3986). */
function toLiteralPart(part: string, shown: string): string {
  if (/[{}]/.test(part)) throw new Unsupported(`has the path ${shown}, whose braces do not match`);
  return part
    .toWellFormed()
    .replaceAll(/[^A-Za-z0-9\-._~!&'()*+,;=:@%/$]/g, (character) => encodeURIComponent(character));
}
