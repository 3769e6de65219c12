import { SourceMap } from "node:module";

const MAX_MAPS = 200;
const maps = new Map<string, SourceMap>();

/** Rewrites the positions of a bundle's stack to the author's files; lines that the map lacks stay. */
export function mapStack(stack: string, sourceMapJson: string): string {
  const map = getMap(sourceMapJson);
  if (map === undefined) return stack;
  return stack
    .split("\n")
    .map((line) => mapLine(line, map))
    .join("\n");
}

function mapLine(line: string, map: SourceMap): string {
  const match = /^(\s*at .*?\(?)([^\s()]+):(\d+):(\d+)(\)?)$/.exec(line);
  if (match === null) return line;
  const [, before = "", file = "", lineNumber, column, after = ""] = match;
  if (file.startsWith("node:")) return line;
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
    const oldest = maps.size >= MAX_MAPS ? maps.keys().next().value : undefined;
    if (oldest !== undefined) maps.delete(oldest);
    maps.set(json, map);
    return map;
  } catch {
    return undefined; // a deployment may carry any text as its map; the plain stack still helps
  }
}
