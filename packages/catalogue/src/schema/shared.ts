import * as z from "zod";
import { afterConnect, identity, verification } from "./calls.ts";
import { address, addresses, fieldName, fields, parameters } from "./values.ts";
import { webhooks } from "./webhooks.ts";

const retry = z.strictObject({
  /** Header with seconds to wait. */
  after_header: z.string().toLowerCase().optional(),
  /** Header with the time to wait for: seconds or milliseconds since 1970, or a date. */
  at_header: z.string().toLowerCase().optional(),
  /** Header whose value 0 says that the quota is used up. */
  remaining_header: z.string().toLowerCase().optional(),
  /** Where a refused answer's JSON tells the wait, for providers without a header. */
  in_body: z
    .strictObject({
      path: z.string().min(1),
      /** `after`: seconds, the first number of a text; `at`: a time, as in `at_header`. */
      strategy: z.enum(["after", "at"]).default("after"),
    })
    .optional(),
  /** Statuses worth another attempt, instead of the defaults: `429`, `5xx`. */
  statuses: z.array(z.string().regex(/^\d(\d\d|xx)$/)).optional(),
});
export type RetryHints = z.output<typeof retry>;

const pagination = z
  .strictObject({
    type: z.enum(["cursor", "link", "offset"]),
    cursor_path_in_response: z.string().optional(),
    cursor_name_in_request: z.string().optional(),
    link_rel_in_response_header: z.string().optional(),
    link_path_in_response_body: z.string().optional(),
    offset_name_in_request: z.string().optional(),
    /** Of the first page; 0 unless set. */
    offset_start_value: z.number().int().nonnegative().optional(),
    /** Whether the offset counts pages, or items as it does unless set. */
    offset_calculation_method: z.enum(["per-page", "by-response-size"]).optional(),
    limit_name_in_request: z.string().optional(),
    response_path: z.string().optional(),
  })
  .refine(isComplete, {
    message:
      "cursor needs cursor_name_in_request and cursor_path_in_response, link a link_..., offset offset_name_in_request",
  });

function isComplete(hints: {
  type: "cursor" | "link" | "offset";
  cursor_path_in_response?: string | undefined;
  cursor_name_in_request?: string | undefined;
  link_rel_in_response_header?: string | undefined;
  link_path_in_response_body?: string | undefined;
  offset_name_in_request?: string | undefined;
}): boolean {
  switch (hints.type) {
    case "cursor":
      return Boolean(hints.cursor_name_in_request && hints.cursor_path_in_response);
    case "link":
      return Boolean(hints.link_rel_in_response_header ?? hints.link_path_in_response_body);
    case "offset":
      return hints.offset_name_in_request !== undefined;
  }
}

/** An address for paths that do not lie below the base URL, such as another version or another service. */
const otherBaseUrl = z.strictObject({
  /** Whole segments with which such a path begins. */
  paths: z.array(z.string().regex(/^(\/[\w.-]+)+$/)).min(1),
  base_url: address,
});

/** `*` stands for any characters but `/`. */
const pathPattern = z
  .string()
  .max(200)
  .regex(/^(\/[\w.*-]+)+$/);

/** Requests whose method does not say what they do. A path of `reads` or `graphql` comes before one of `writes`. */
const effects = z.strictObject({
  /** Searches and their like: any method only reads. */
  reads: z.array(pathPattern).max(50).default([]),
  /** GraphQL: a document without a mutation only reads. */
  graphql: z.array(pathPattern).max(10).default([]),
  /** Also a GET changes something. */
  writes: z.array(pathPattern).max(50).default([]),
});
export type RequestEffects = z.output<typeof effects>;

/** A server of the Model Context Protocol, whose tools the integration has. */
const mcp = z.strictObject({ url: address });

/** What the credentials add to a request, instead of the mode's own additions. */
const inject = z.strictObject({
  headers: parameters,
  query: parameters,
  /** Fields merged into a body of JSON or a form. */
  body: parameters,
});

/** What every entry may say, in every mode. */
export const shared = {
  id: z.string().regex(/^[a-zA-Z0-9_-]{1,255}$/),
  display_name: z.string().min(1),
  categories: z.array(z.string().regex(/^[a-z-]+$/)).min(1),
  docs: z.url({ protocol: /^https$/ }).optional(),
  /** Where end users find the credentials, or read how to get them; `docs` unless set. */
  docs_connect: z.url({ protocol: /^https$/ }).optional(),
  /** Where the facts of this entry come from. */
  sources: z.array(z.url({ protocol: /^https$/ })).default([]),
  /** Independent public projects in which a fact was found as well, by field. */
  evidence: z.record(fieldName, z.array(z.string().min(1)).min(1)).default({}),
  /** Day on which a person or a script last compared the entry with its sources. */
  checked_at: z.iso.date().optional(),
  /** Facts that no page of the vendor or second source has confirmed; users see a note. */
  unverified: z.boolean().default(false),
  /** Among the few products that are asked for most: lists show them first. */
  popular: z.boolean().default(false),
  /** Asked for so much that a page of the vendor alone does not do as evidence. */
  needs_second_source: z.boolean().default(false),
  /** The file's product, which groups its variants. */
  family: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .optional(),
  family_name: z.string().min(1).optional(),
  /** Name of the product's icon in the package simple-icons; a monogram is shown where there is none. */
  icon: z
    .string()
    .regex(/^[a-z0-9]+$/)
    .optional(),
  /** The brand's colour, where there is no icon: that of the monogram. */
  colour: z
    .string()
    .regex(/^#[0-9a-f]{6}$/)
    .optional(),
  /** Kept for those who use it, offered to nobody new. */
  deprecated: z
    .strictObject({ reason: z.string().min(1), replaced_by: z.string().optional() })
    .optional(),
  /** The entry with which this one shares addresses on purpose. */
  same_as: z.string().optional(),
  /** Scopes as the vendor writes them, to show the form. */
  example_scopes: z.array(z.string().min(1)).default([]),
  base_url: addresses.optional(),
  other_base_urls: z.array(otherBaseUrl).default([]),
  /** Sent unless the caller sends a header of that name. */
  headers: parameters,
  /** Parameters added to every address. */
  query: parameters,
  inject: inject.optional(),
  verification: verification.optional(),
  after_connect: z.array(afterConnect).default([]),
  identity: identity.optional(),
  webhooks: webhooks.optional(),
  retry: retry.optional(),
  pagination: pagination.optional(),
  effects: effects.optional(),
  mcp: mcp.optional(),
  /** Seconds before expiry at which credentials are renewed, instead of the server's margin. */
  refresh_margin_s: z.number().int().positive().optional(),
  /** Seconds after which unused credentials are renewed, where the provider withdraws idle ones. */
  refresh_idle_s: z.number().int().positive().optional(),
  connection_config: fields,
  credentials: fields,
  integration_config: fields,
} as const;
