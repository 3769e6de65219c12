// Written as Go writes them: https://go.dev/wiki/CodeReviewComments#initialisms
const initialisms = new Set([
  "api",
  "csv",
  "html",
  "http",
  "id",
  "ip",
  "json",
  "jwt",
  "mcp",
  "sso",
]);
for (const word of ["totp", "ttl", "uri", "url", "uuid"]) initialisms.add(word);

/** A name of the document as an exported name of Go: `connection_id` is `ConnectionID`. */
export function exportedName(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
  const joined = words.map(capitalized).join("");
  return /^[A-Z]/.test(joined) ? joined : `X${joined}`;
}

function capitalized(word: string): string {
  const lower = word.toLowerCase();
  return initialisms.has(lower)
    ? lower.toUpperCase()
    : word.charAt(0).toUpperCase() + word.slice(1);
}

// What Go and the other names of a method's body leave for its arguments.
const taken = new Set(["any", "asked", "body", "c", "case", "chan", "ctx", "default", "func"]);
for (const word of ["go", "import", "interface", "map", "options", "package", "params"]) {
  taken.add(word);
}
for (const word of ["range", "return", "select", "string", "struct", "type", "url", "var"]) {
  taken.add(word);
}

/** The same as the name of an argument: `connectionID`. */
export function argumentName(name: string): string {
  const exported = exportedName(name);
  const head = /^[A-Z]+(?=[A-Z][a-z]|$)|^[A-Z]/.exec(exported)?.[0] ?? "";
  const argument = head.toLowerCase() + exported.slice(head.length);
  return taken.has(argument) ? `${argument}Value` : argument;
}

/** Gives each name once: a second one of the kind gets a number. */
export class UniqueNames {
  readonly #used = new Set<string>();

  take(wanted: string): string {
    let name = wanted;
    for (let n = 2; this.#used.has(name); n += 1) name = `${wanted}${n}`;
    this.#used.add(name);
    return name;
  }
}

/** Texts as comment lines of Go. */
export function comment(text: string, indent = ""): string {
  const lines = text.split(/\r?\n/).map((line) => `${indent}// ${line}`.trimEnd());
  return text === "" ? "" : `${lines.join("\n")}\n`;
}
