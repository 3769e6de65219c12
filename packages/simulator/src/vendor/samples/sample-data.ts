import type { Provider } from "@jackfield/catalogue";
import { type Reply, replyJson, setPath } from "../exchange/write-answer.ts";

/** Items of every collection that a vendor has. */
export const COLLECTION_SIZE = 25;
const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

function makeItems(collection: string) {
  return Array.from({ length: COLLECTION_SIZE }, (_, index) => ({
    id: String(index + 1),
    name: `${collection} ${index + 1}`,
    email: `${collection}.${index + 1}@example.com`,
    created_at: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
  }));
}

export interface PageRequest {
  /** Last part of the path: what the items are named after. */
  readonly collection: string;
  /** Address of this page, as the vendor sees it. */
  readonly address: string;
  readonly query: URLSearchParams;
}

/** One page of a collection in the entry's style; without one, all items as a list. */
export function writePage(
  { pagination }: Provider,
  { collection, address, query }: PageRequest,
): Reply {
  const items = makeItems(collection);
  if (pagination === undefined) return replyJson(items);
  const limit = readLimit(query.get(pagination.limit_name_in_request ?? ""));
  const first = pagination.offset_start_value ?? 0;
  const byPage = pagination.offset_calculation_method === "per-page";
  const start =
    pagination.type === "offset"
      ? readOffset(query.get(pagination.offset_name_in_request ?? ""), { first, byPage, limit })
      : readCursor(
          query.get(
            pagination.type === "cursor" ? (pagination.cursor_name_in_request ?? "") : "after",
          ),
        );
  const page = items.slice(start, start + limit);
  const next = start + limit < items.length ? String(start + limit) : undefined;
  const answer: Record<string, unknown> = {};
  const headers: Record<string, string> = {};
  if (pagination.type === "cursor" && next !== undefined) {
    setPath(answer, pagination.cursor_path_in_response ?? "next", toCursor(next));
  }
  if (pagination.type === "link" && next !== undefined) {
    const url = new URL(address);
    url.searchParams.set("after", toCursor(next));
    const { link_rel_in_response_header: rel, link_path_in_response_body: path } = pagination;
    if (rel !== undefined) headers["link"] = `<${url.href}>; rel="${rel}"`;
    else if (path !== undefined) setPath(answer, path, url.href);
  }
  const { response_path: path } = pagination;
  if (path !== undefined) setPath(answer, path, page);
  else if (!wrapsItems(pagination)) return replyJson(page, 200, headers);
  else answer["items"] = page;
  return replyJson(answer, 200, headers);
}

/** What leads to the next page is in the body, so the items cannot be all of it. */
export function wrapsItems({
  type,
  link_path_in_response_body: path,
}: NonNullable<Provider["pagination"]>): boolean {
  return type === "cursor" || (type === "link" && path !== undefined);
}

function readLimit(text: string | null): number {
  const wanted = Number(text ?? DEFAULT_LIMIT);
  return Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, MAX_LIMIT) : DEFAULT_LIMIT;
}

function readOffset(
  text: string | null,
  { first, byPage, limit }: { first: number; byPage: boolean; limit: number },
): number {
  const given = text === null ? first : Number(text);
  if (!Number.isInteger(given)) return 0;
  return byPage ? Math.max(0, given - first) * limit : Math.max(0, given - first);
}

/** Opaque, as cursors are. */
function toCursor(position: string): string {
  return Buffer.from(`at:${position}`).toString("base64url");
}

function readCursor(text: string | null): number {
  const position = Buffer.from(text ?? "", "base64url")
    .toString()
    .replace(/^at:/, "");
  return /^\d{1,9}$/.test(position) ? Number(position) : 0;
}
