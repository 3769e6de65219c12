import type { AnyRouter } from "@tanstack/react-router";
import { basePath } from "../../start/base-path.ts";

/** Values of a path that are no ids. */
const noIds: ReadonlySet<string> = new Set(["environment", "tab"]);

/** The id of the row that has the focus, else of the open panel, else of the page; undefined where there is none. */
export function idOfPage(router: AnyRouter): string | undefined {
  const focused = document.activeElement;
  const isRow = focused instanceof HTMLAnchorElement && focused.dataset["row"] !== undefined;
  const { pathname, searchParams } = new URL(isRow ? focused.href : window.location.href);
  const open = searchParams.get("open");
  if (open !== null) return open;
  const [, values] = router.getMatchedRoutes(pathname.slice(basePath.length));
  const last = Object.entries(values).findLast(([name]) => !noIds.has(name))?.[1];
  return last === undefined ? undefined : decoded(last);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
