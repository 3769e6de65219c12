import { alteredCursor } from "#foundation";
import type { ToolPosition } from "./store.ts";

/** Where a page of tools ended: names are not unique among several servers of an integration. */
export function writeCursor({ name, server }: ToolPosition): string {
  return Buffer.from(`${server}${name}`).toString("base64url");
}

/** Throws invalid_cursor for text that `writeCursor` has not made. */
export function readCursor(cursor: string): ToolPosition {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const [, server, name] = /^([0-9a-f]{32})(.{1,128})$/.exec(text) ?? [];
  if (server !== undefined && name !== undefined && writeCursor({ name, server }) === cursor) {
    return { name, server };
  }
  throw alteredCursor();
}
