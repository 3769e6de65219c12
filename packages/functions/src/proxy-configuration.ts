import type { UntypedData } from "./schemas.ts";

export type HttpMethod =
  | "GET"
  | "POST"
  | "PUT"
  | "PATCH"
  | "DELETE"
  | "HEAD"
  | "PROPFIND"
  | "REPORT"
  | "get"
  | "post"
  | "put"
  | "patch"
  | "delete"
  | "head"
  | "propfind"
  | "report";

type QueryScalar = string | number | boolean | null | undefined;

/** Query by name; `undefined` and `null` are left out, arrays are joined with commas. */
export type QueryParams = Record<string, QueryScalar | readonly QueryScalar[]>;

export type ResponseType = "json" | "text" | "arraybuffer" | "blob" | "stream" | "document";

export interface RetryHeader {
  /** Header with the time to wait for: seconds or milliseconds since 1970, or a date. */
  at?: string | undefined;
  /** Header with the seconds to wait. */
  after?: string | undefined;
  /** Header whose value 0 says that the quota is used up, which is worth a retry. */
  remaining?: string | undefined;
}

/** One HTTP call to the provider, made with the connection's credentials. */
export interface ProxyConfiguration {
  /** Path below the provider's base URL; it may hold a query. */
  endpoint: string;
  method?: HttpMethod | undefined;
  /** As text it is appended to the endpoint, which then must not have a query of its own. */
  params?: QueryParams | string | undefined;
  headers?: Record<string, string | number | boolean | undefined> | undefined;
  /** Sent with every method but GET and HEAD; objects as JSON, or as the form that `content-type` names. */
  data?: unknown;
  baseUrlOverride?: string | undefined;
  /** Extra attempts after the first, 0 to 100; default 0. */
  retries?: number | undefined;
  /** Statuses to retry besides the provider's own list. */
  retryOn?: number[] | null | undefined;
  /** Headers that tell how long to wait before a retry, instead of those of the provider's entry. */
  retryHeader?: RetryHeader | undefined;
  /**
   * Default: JSON where the body is JSON, else text. `arraybuffer` gives a Buffer, `blob` a Blob, `stream` a readable
   * stream of a body that is here as a whole, `document` text.
   */
  responseType?: ResponseType | undefined;
  decompress?: boolean | "true" | undefined;
  /** Send the call's own headers along when the provider redirects to another origin; credentials never go. */
  forwardHeadersOnRedirect?: boolean | undefined;
  /** Call with another connection of this environment. */
  providerConfigKey?: string | undefined;
  connectionId?: string | undefined;
  /** How `paginate` walks the list; what is left out is as the provider's entry says. Other calls pass it over. */
  paginate?: Pagination | PartialPagination | undefined;
}

export type RequestConfiguration = Omit<ProxyConfiguration, "method">;

export interface ProxyResponse<Data = UntypedData> {
  data: Data;
  status: number;
  statusText: string;
  /** By name in lower case: text, or a list of texts for one that was sent more than once. */
  headers: Record<string, UntypedData>;
  config: ProxyConfiguration;
  request: { method: string; path: string };
}

interface PaginationOptions {
  /** Page size, sent as the parameter that `limit_name_in_request` names. */
  limit?: number | string | undefined;
  limit_name_in_request?: string | undefined;
  /** Dotted path of the page's items; absent or empty for the whole body. */
  response_path?: string | undefined;
  /** Send the parameters in the body; always so for POST, PUT and PATCH. */
  in_body?: boolean | undefined;
  /** Awaited after each page; `nextPageParam` is the cursor, link or offset at hand. */
  on_page?:
    | ((page: {
        nextPageParam: string | number | undefined;
        response: ProxyResponse;
      }) => void | Promise<void>)
    | undefined;
}

export interface CursorPagination extends PaginationOptions {
  type: "cursor";
  cursor_name_in_request: string;
  cursor_path_in_response: string;
}

export interface LinkPagination extends PaginationOptions {
  type: "link";
  /** `rel` of the Link header; looked at before the body. */
  link_rel_in_response_header?: string | undefined;
  link_path_in_response_body?: string | undefined;
}

export interface OffsetPagination extends PaginationOptions {
  type: "offset";
  offset_name_in_request: string;
  /** Default 0. */
  offset_start_value?: number | undefined;
  /** `per-page` counts pages, `by-response-size` (the default) counts items. */
  offset_calculation_method?: "per-page" | "by-response-size" | undefined;
}

export type Pagination = CursorPagination | LinkPagination | OffsetPagination;

/** Any part of a pagination; the rest comes from the provider's entry in the catalogue. */
export type PartialPagination = Partial<Omit<CursorPagination, "type">> &
  Partial<Omit<LinkPagination, "type">> &
  Partial<Omit<OffsetPagination, "type">>;

/** @deprecated the same as `ProxyConfiguration` */
export type PaginatedConfiguration = ProxyConfiguration;
