import { SourceMap } from "node:module";
import { LRUCache } from "lru-cache";

// Process-wide: a map is made of its text.
const maps = new LRUCache<string, SourceMap>({ max: 200 });

/** Rewrites the positions of a bundle's stack to the author's files; lines that the map lacks stay. */
export function mapStack(stack: string, sourceMapJson: string): string {
  const map = getMap(sourceMapJson);
  if (map === undefined) return stack;
  return stack
    .split("\n")
    .map((line) => mapLine(line, map))
    .join("\n");
}

/** `at name (file:line:column)`; read from its end, since the process may have written anything as its stack. */
function mapLine(line: string, map: SourceMap): string {
  const match = /:(\d{1,10}):(\d{1,10})(\)?)$/.exec(line);
  if (match === null || !/^\s*at /.test(line)) return line;
  const [, lineNumber, column, after = ""] = match;
  const place = line.slice(0, match.index);
  const start = Math.max(place.lastIndexOf(" "), place.lastIndexOf("(")) + 1;
  const before = place.slice(0, start);
  if (place.startsWith("node:", start)) return line;
  const entry = map.findEntry(Number(lineNumber) - 1, Number(column) - 1);
  if (!("originalSource" in entry)) return line;
  const position = `${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  return `${before}${entry.originalSource}:${position}${after}`;
}

function getMap(json: string): SourceMap | undefined {
  const known = maps.get(json);
  if (known !== undefined) return known;
  try {
    const map = new SourceMap(JSON.parse(json));
    maps.set(json, map);
    return map;
  } catch {
    return undefined; // a deployment may carry any text as its map; the plain stack still helps
  }
}
