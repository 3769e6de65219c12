/** Elements without attributes as nested values; enough for the requests of entries with an XML body. */
export function readXml(text: string): Record<string, unknown> {
  const body = text.replace(/^\s*<\?[^>]*\?>/, "").trim();
  const value = readElements(body);
  return typeof value === "object" ? value : {};
}

function readElements(text: string): Record<string, unknown> | string {
  const found: Record<string, unknown> = {};
  const element = /<([A-Za-z_][\w.-]*)>([\s\S]*?)<\/\1>|<([A-Za-z_][\w.-]*)\s*\/>/g;
  for (const [, name, inner = "", empty] of text.matchAll(element)) {
    found[name ?? empty ?? ""] = inner === "" ? "" : readElements(inner);
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
