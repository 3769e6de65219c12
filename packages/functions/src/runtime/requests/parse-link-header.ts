/** The target of the first link with this `rel` in a Link header (RFC 8288), or undefined. */
export function findLink(header: string | string[] | undefined, rel: string): string | undefined {
  const text = Array.isArray(header) ? header.join(", ") : (header ?? "");
  for (const { target, parameters } of parseLinks(text)) {
    const rels = readRel(parameters).split(/\s+/);
    if (rels.some((name) => name.toLowerCase() === rel.toLowerCase())) return target;
  }
  return undefined;
}

/** Targets may hold commas and semicolons, quoted parameters too, so links are cut at `<`, not at commas. */
function parseLinks(text: string): { target: string; parameters: string }[] {
  const links: { target: string; parameters: string }[] = [];
  let start = text.indexOf("<");
  while (start !== -1) {
    const end = text.indexOf(">", start);
    if (end === -1) break;
    const next = findUnquoted(text, "<", end + 1);
    const parameters = text.slice(end + 1, next === -1 ? undefined : next);
    links.push({ target: text.slice(start + 1, end).trim(), parameters });
    start = next;
  }
  return links;
}

function findUnquoted(text: string, character: string, from: number): number {
  let quoted = false;
  for (let index = from; index < text.length; index += 1) {
    if (text[index] === '"') quoted = !quoted;
    else if (!quoted && text[index] === character) return index;
  }
  return -1;
}

function readRel(parameters: string): string {
  const match = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters);
  return match?.[1] ?? match?.[2] ?? "";
}
