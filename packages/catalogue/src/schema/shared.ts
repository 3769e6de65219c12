import * as z from "zod";
import { afterConnect, verification } from "./calls.ts";
import { addresses, fields, parameters } from "./values.ts";

const retry = z.strictObject({
  /** Header with seconds to wait. */
  after_header: z.string().toLowerCase().optional(),
  /** Header with the time to wait for: seconds or milliseconds since 1970, or a date. */
  at_header: z.string().toLowerCase().optional(),
  /** Header whose value 0 says that the quota is used up. */
  remaining_header: z.string().toLowerCase().optional(),
  /** Statuses worth another attempt, instead of the defaults: `429`, `5xx`. */
  statuses: z.array(z.string().regex(/^\d(\d\d|xx)$/)).optional(),
});
export type RetryHints = z.output<typeof retry>;

const pagination = z.strictObject({
  type: z.enum(["cursor", "link", "offset"]),
  cursor_path_in_response: z.string().optional(),
  cursor_name_in_request: z.string().optional(),
  link_rel_in_response_header: z.string().optional(),
  offset_name_in_request: z.string().optional(),
  limit_name_in_request: z.string().optional(),
  response_path: z.string().optional(),
});

/** What the credentials add to a request, instead of what the mode would add by itself. */
const inject = z.strictObject({
  headers: parameters,
  query: parameters,
  /** Fields merged into a body of JSON or a form. */
  body: parameters,
});

/** What every entry may say, whatever its mode. */
export const shared = {
  id: z.string().regex(/^[a-zA-Z0-9_-]{1,255}$/),
  display_name: z.string().min(1),
  categories: z.array(z.string().regex(/^[a-z-]+$/)).min(1),
  docs: z.url({ protocol: /^https$/ }).optional(),
  /** Where the facts of this entry come from. */
  sources: z.array(z.url({ protocol: /^https$/ })).default([]),
  base_url: addresses.optional(),
  /** Sent unless the caller sends a header of that name. */
  headers: parameters,
  /** Parameters added to every address. */
  query: parameters,
  inject: inject.optional(),
  verification: verification.optional(),
  after_connect: z.array(afterConnect).default([]),
  retry: retry.optional(),
  pagination: pagination.optional(),
  /** Seconds before expiry at which credentials are renewed, instead of the platform's margin. */
  refresh_margin_s: z.number().int().positive().optional(),
  /** Seconds after which unused credentials are renewed, where the provider withdraws idle ones. */
  refresh_idle_s: z.number().int().positive().optional(),
  connection_config: fields,
  credentials: fields,
  integration_config: fields,
} as const;
