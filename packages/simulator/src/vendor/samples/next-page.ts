import type { Provider } from "@jackfield/catalogue";

interface PageAnswer {
  readonly headers: Headers;
  readonly body: unknown;
}

type Pagination = NonNullable<Provider["pagination"]>;

/** The query of the page after this one; undefined at the end. */
export function nextQuery(
  pagination: Pagination,
  answer: PageAnswer,
  {
    query,
    first,
    count,
    seen,
  }: { query: URLSearchParams; first: number; count: number; seen: number },
): URLSearchParams | undefined {
  const next = new URLSearchParams(query);
  if (pagination.type === "offset") {
    const isByPage = pagination.offset_calculation_method === "per-page";
    next.set(
      pagination.offset_name_in_request ?? "",
      String(isByPage ? first + count + 1 : first + seen),
    );
    return next;
  }
  if (pagination.type === "cursor") {
    const cursor = readText(answer.body, ...toSteps(pagination.cursor_path_in_response ?? ""));
    if (cursor === undefined) return undefined;
    next.set(pagination.cursor_name_in_request ?? "", cursor);
    return next;
  }
  const rel = pagination.link_rel_in_response_header;
  const link =
    rel === undefined
      ? readText(answer.body, ...toSteps(pagination.link_path_in_response_body ?? ""))
      : new RegExp(`<([^<>]+)>; rel="${rel}"`).exec(answer.headers.get("link") ?? "")?.[1];
  return link === undefined ? undefined : new URL(link).searchParams;
}

/** The items of a page; undefined where there are none at the path. */
export function readItems(body: unknown, path: string | undefined): unknown[] | undefined {
  const found = path === undefined ? body : readValue(body, toSteps(path));
  if (Array.isArray(found)) return found;
  const items = readValue(body, ["items"]);
  return path === undefined && Array.isArray(items) ? items : undefined;
}

/** Names of members, from the outermost; those of annotations hold a dot themselves: `@odata.nextLink`. */
export function toSteps(path: string): string[] {
  return path.startsWith("@") ? [path] : path.split(".");
}

export function readValue(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, step))
      return undefined;
    found = Reflect.get(found, step);
  }
  return found;
}

export function readText(value: unknown, ...path: string[]): string | undefined {
  const found = readValue(value, path);
  return found === undefined || found === null ? undefined : String(found);
}
