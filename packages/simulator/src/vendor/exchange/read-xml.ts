/** Elements without attributes as nested values; enough for the requests of entries with an XML body. */
export function readXml(text: string): Record<string, unknown> {
  const body = text.replace(/^\s*<\?[^>]*\?>/, "").trim();
  const value = readElements(body);
  return typeof value === "object" ? value : {};
}

function readElements(text: string): Record<string, unknown> | string {
  const found: Record<string, unknown> = {};
  const opening = /<([A-Za-z_][\w.-]*)\s*(\/?)>/g;
  for (let tag = opening.exec(text); tag !== null; tag = opening.exec(text)) {
    const [, name = "", empty] = tag;
    const end = empty === "/" ? opening.lastIndex : text.indexOf(`</${name}>`, opening.lastIndex);
    if (end === -1) continue;
    const inner = text.slice(opening.lastIndex, end);
    found[name] = inner === "" ? "" : readElements(inner);
    opening.lastIndex = end;
  }
  return Object.keys(found).length === 0 ? decode(text) : found;
}

/** The value as XML below one root element. */
export function writeXml(value: Readonly<Record<string, unknown>>): string {
  return Object.entries(value)
    .map(
      ([name, inner]) =>
        `<${name}>${isRecord(inner) ? writeXml(inner) : encode(String(inner))}</${name}>`,
    )
    .join("");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

const entities = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&" } as const;

function decode(text: string): string {
  return Object.entries(entities).reduce((done, [from, to]) => done.replaceAll(from, to), text);
}

function encode(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
