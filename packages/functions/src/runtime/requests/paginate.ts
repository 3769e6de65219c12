import type {
  CursorPagination,
  LinkPagination,
  OffsetPagination,
  PaginatedConfiguration,
  Pagination,
  ProxyConfiguration,
  ProxyResponse,
} from "../../proxy-configuration.ts";
import { type Run, requireRunning } from "../run.ts";
import { findLink } from "./parse-link-header.ts";
import { readPath, withPath } from "./read-path.ts";
import { sendRequest } from "./send-request.ts";

type Pages = AsyncGenerator<unknown[], undefined, void>;

interface PageCall {
  readonly run: Run;
  /** The caller's configuration without `paginate`; never changed. */
  readonly config: ProxyConfiguration;
  readonly inBody: boolean;
}

/** Walks a list page by page. */
export async function* paginate(run: Run, config: PaginatedConfiguration): Pages {
  const { paginate: given, ...request } = config;
  // A way of the call's own has nothing to do with the provider's: only the rest of a way is filled in.
  const isOwn = hasType({ ...given });
  const options = isOwn ? { ...given } : { ...(await findDefaults(run, config)), ...given };
  if (!hasType(options)) {
    throw new TypeError(
      'paginate: say how the list is paged, for example paginate: { type: "cursor", cursor_name_in_request: "after", cursor_path_in_response: "next" }.',
    );
  }
  const method = (request.method ?? "GET").toUpperCase();
  const inBody = options.in_body === true || ["POST", "PUT", "PATCH"].includes(method);
  yield* startPages({ run, config: request, inBody }, options);
}

/**
 * The provider's own way, which the call's options overlay. It is requested for another integration, and for the
 * run's own where a dry run outside the server does not have it.
 */
async function findDefaults(run: Run, config: ProxyConfiguration): Promise<object> {
  const { facts, channel } = run;
  const { providerConfigKey = facts.providerConfigKey } = config;
  const isOwn = providerConfigKey === facts.providerConfigKey;
  if (isOwn && facts.pagination !== undefined) return { ...facts.pagination };
  requireRunning(run);
  const { value } = await channel.call("getPagination", { providerConfigKey });
  return { ...value };
}

/** Other missing fields are reported where they are needed. */
function hasType(options: object): options is Pagination {
  return "type" in options && options.type !== undefined;
}

function startPages(call: PageCall, options: Pagination): Pages {
  if (options.type === "cursor") return paginateByCursor(call, options);
  if (options.type === "link") return paginateByLink(call, options);
  if (options.type === "offset") return paginateByOffset(call, options);
  throw unknownType(options);
}

/** Types rule this out, but authors may come without them. */
function unknownType(options: { type: unknown }): TypeError {
  return new TypeError(
    `paginate: type "${String(options.type)}" is unknown; use cursor, link or offset.`,
  );
}

async function* paginateByCursor(call: PageCall, options: CursorPagination): Pages {
  requireOption(options, "cursor_name_in_request");
  requireOption(options, "cursor_path_in_response");
  if (options.limit !== undefined) requireOption(options, "limit_name_in_request");
  let cursor: string | number | undefined;
  do {
    const sent = cursor === undefined ? {} : { [options.cursor_name_in_request]: cursor };
    const response = await sendRequest(call.run, withPage(call, options, sent));
    const items = readItems(response, options);
    if (!hasItems(items)) return;
    yield items;
    cursor = toCursor(readPath(response.data, options.cursor_path_in_response));
    await options.on_page?.({ nextPageParam: cursor, response });
  } while (cursor !== undefined);
}

async function* paginateByLink(call: PageCall, options: LinkPagination): Pages {
  if (!options.link_rel_in_response_header && !options.link_path_in_response_body) {
    throw new TypeError(
      "paginate: set link_rel_in_response_header or link_path_in_response_body for type link.",
    );
  }
  let config = withPage(call, options, {});
  let response = await sendRequest(call.run, config);
  let followed: string | undefined;
  for (;;) {
    // Each page is given out, empty or missing ones included: only the link says whether more follow.
    yield asPage(readItems(response, options));
    const link = readLink(response, options);
    await options.on_page?.({ nextPageParam: link, response });
    if (link === undefined || link === followed) return;
    followed = link;
    config = { ...followLink(config, link), params: undefined };
    response = await sendRequest(call.run, config);
  }
}

async function* paginateByOffset(call: PageCall, options: OffsetPagination): Pages {
  requireOption(options, "offset_name_in_request");
  const { limit } = options;
  let offset = options.offset_start_value ?? 0;
  for (;;) {
    const page = { [options.offset_name_in_request]: offset };
    const response = await sendRequest(call.run, withPage(call, options, page));
    const items = readItems(response, options);
    if (!hasItems(items)) return;
    yield items;
    if (limit !== undefined && items.length < Number(limit)) return;
    await options.on_page?.({ nextPageParam: offset, response });
    offset += options.offset_calculation_method === "per-page" ? 1 : items.length;
  }
}

function requireOption<Options extends Pagination>(
  options: Options,
  name: keyof Options & string,
): void {
  if (options[name]) return;
  throw new TypeError(`paginate: set ${name} for type ${options.type}.`);
}

function withPage(
  { config, inBody }: PageCall,
  options: Pagination,
  page: Record<string, string | number>,
): ProxyConfiguration {
  const { limit, limit_name_in_request: limitName } = options;
  const parameters = limit === undefined || !limitName ? page : { [limitName]: limit, ...page };
  if (inBody) return { ...config, data: withBodyParameters(config.data, parameters) };
  const text = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, String(value)]),
  );
  if (typeof config.params !== "string")
    return { ...config, params: { ...config.params, ...text } };
  const query = new URLSearchParams(config.params);
  for (const [name, value] of Object.entries(text)) query.set(name, value);
  return { ...config, params: query.toString() };
}

function withBodyParameters(data: unknown, parameters: Record<string, string | number>): unknown {
  if (data instanceof URLSearchParams) {
    const form = new URLSearchParams(data);
    for (const [name, value] of Object.entries(parameters)) form.set(name, String(value));
    return form;
  }
  if (typeof (data ?? {}) !== "object" || Array.isArray(data) || data instanceof Uint8Array) {
    throw new TypeError(
      "paginate: data must be an object, since the page's parameters go into it.",
    );
  }
  let body: object = data ?? {};
  for (const [name, value] of Object.entries(parameters)) body = withPath(body, name, value);
  return body;
}

function readItems(response: ProxyResponse, options: Pagination): unknown {
  return readPath(response.data, options.response_path ?? "");
}

function hasItems(items: unknown): items is unknown[] {
  return Array.isArray(items) && items.length > 0;
}

/** The generator promises arrays; a provider may answer otherwise, and link pages are given out as they are. */
function asPage(items: unknown): unknown[] {
  return items as unknown[];
}

function toCursor(value: unknown): string | number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  const cursor = value.trim();
  return cursor === "" ? undefined : cursor;
}

function readLink(response: ProxyResponse, options: LinkPagination): string | undefined {
  const rel = options.link_rel_in_response_header;
  const path = options.link_path_in_response_body;
  const link =
    (rel ? findLink(response.headers["link"], rel) : undefined) ??
    (path ? readPath(response.data, path) : undefined);
  return typeof link === "string" && link.trim() !== "" ? link.trim() : undefined;
}

/** An absolute link moves the call to its origin; `?page=2` alone keeps the path. */
function followLink(config: ProxyConfiguration, link: string): ProxyConfiguration {
  if (/^https?:\/\//i.test(link)) {
    const url = new URL(link);
    return { ...config, baseUrlOverride: url.origin, endpoint: `${url.pathname}${url.search}` };
  }
  const path = config.endpoint.split("?")[0] ?? "";
  return { ...config, endpoint: link.startsWith("?") ? `${path}${link}` : link };
}
