import * as z from "zod";
import { bulkFilter, connectionName } from "../connections/bulk.ts";
import { connectionState } from "../connections/connection.ts";
import {
  creator,
  integrationKey,
  pageQuery,
  tags,
  timestamp,
  uuid,
  webAddress,
} from "../fields.ts";
import { defineRoute } from "../route.ts";
import { pageLanguage, pageSettings } from "./connect-session.ts";

/** Links by which end users begin connect sessions by themselves, such as out of a mail. */

const linkState = z.enum(["open", "used_up", "expired", "revoked"]);

const expiresInSeconds = z
  .number()
  .int()
  .min(3600)
  .max(2_592_000)
  .optional()
  .describe("How long it works: an hour to 30 days, in seconds. Default 604800, 7 days.");

const note = z
  .string()
  .max(500)
  .optional()
  .describe("A note for who reads the list; up to 500 characters.");

const returnUrl = webAddress
  .optional()
  .describe("Where the browser goes when the end user has finished.");

const language = pageLanguage
  .optional()
  .describe("Language of the link's page and of its sessions. Default: the browser's.");

/** A mail to each is sent by hand or by a program; more of them are several calls. */
export const MOST_RECONNECT_LINKS = 500;

const link = z
  .strictObject({
    id: uuid.describe("Id of the link; not its token."),
    state: linkState.describe(
      "Whether it can still be used, or why not; 10 wrong codes revoke it.",
    ),
    note: z.string().nullable().describe("What its maker noted; end users do not see it."),
    tags: z.record(z.string(), z.string()).describe("Tags of the connections made by it."),
    allowed_integrations: z
      .array(z.string())
      .nullable()
      .describe("Keys of the integrations to choose from; null when all are allowed."),
    reconnects: connectionName
      .nullable()
      .describe("The connection that it authorizes again; null when it makes new ones."),
    uses: z.number().int().describe("How many sessions it has begun."),
    max_uses: z.number().int().describe("How many it may begin."),
    needs_code: z.boolean().describe("Whether its user has to enter a code as well."),
    last_used_at: timestamp.nullable().describe("When it was used last; null before."),
    created_at: timestamp.describe("When it was created."),
    created_by: creator
      .nullable()
      .describe("Who created it; null for links from before this was recorded."),
    expires_at: timestamp.describe("When it ends."),
    revoked_at: timestamp.nullable().describe("When it was revoked; null if it was not."),
  })
  .meta({ id: "ConnectLink", description: "A connect link, without its token." });

const tokenBody = z.strictObject({
  token: z.string().min(1).max(200).describe("Token of the link: what follows `#` in its address."),
});

export const connectLinkRoutes = {
  createConnectLink: defineRoute({
    method: "POST",
    path: "/connect/links",
    summary: "Create a link by which an end user begins a connect session, once or several times",
    principals: ["environment"],
    scope: "environment:connect_sessions:write",
    body: z
      .strictObject({
        tags: tags.describe("Tags of the connections that are made by it; at least one."),
        allowed_integrations: z
          .array(integrationKey)
          .max(1000)
          .optional()
          .describe("Keys of the integrations to choose from. Default: all."),
        return_url: returnUrl,
        max_uses: z
          .number()
          .int()
          .min(1)
          .max(100)
          .optional()
          .describe("How many sessions it may begin, 1 to 100. Default 1."),
        expires_in_seconds: expiresInSeconds,
        language,
        with_code: z
          .boolean()
          .optional()
          .describe(
            "Whether who opens the link has to enter a code of 6 digits, which you tell them apart from it. Default `false`.",
          ),
        note,
      })
      .meta({ id: "NewConnectLink" }),
    success: {
      status: 201,
      schema: z.strictObject({
        data: z
          .strictObject({
            link: link.describe("The link."),
            url: z.string().describe("Address to send to the end user; it is shown only now."),
            code: z
              .string()
              .nullable()
              .describe(
                "The code to tell them in another way, such as by telephone; shown only now. Null without `with_code`.",
              ),
          })
          .meta({ id: "CreatedConnectLink", description: "A new link, with its address." }),
      }),
    },
    errors: [],
    idempotent: true,
    noStore: true,
  }),
  createReconnectLinks: defineRoute({
    method: "POST",
    path: "/connect/links/reconnect",
    summary:
      "Create links with which end users authorize connections again: one for each connection that needs it",
    principals: ["environment"],
    scope: "environment:connect_sessions:write",
    body: z
      .strictObject({
        connections: z
          .array(connectionName)
          .min(1)
          .max(MOST_RECONNECT_LINKS)
          .optional()
          .describe("These connections; at most 500."),
        filter: bulkFilter
          .omit({ state: true, sync: true })
          .extend({ state: connectionState.optional().describe("Only those in this state.") })
          .optional()
          .describe(
            "In place of `connections`: those in the state `needs_reauthorization` that fit. More than 500 are refused.",
          ),
        return_url: returnUrl,
        expires_in_seconds: expiresInSeconds,
        language,
        note,
      })
      .meta({ id: "NewReconnectLinks" }),
    success: {
      status: 201,
      schema: z.strictObject({
        data: z
          .strictObject({
            links: z
              .array(
                z.strictObject({
                  link: link.describe("The link, which works once."),
                  url: z
                    .string()
                    .describe("Address to send to the end user; it is shown only now."),
                }),
              )
              .describe("One for each connection, in the order of the connections."),
            skipped: z
              .array(
                connectionName.extend({
                  reason: z
                    .enum(["works", "no_owner"])
                    .describe(
                      "`works`: it need not be authorized again; `no_owner`: it has no tags that say whose it is.",
                    ),
                }),
              )
              .describe("Connections that got no link, and why."),
          })
          .meta({ id: "ReconnectLinks", description: "New links, with their addresses." }),
      }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 404 },
    ],
    idempotent: true,
    noStore: true,
  }),
  listConnectLinks: defineRoute({
    method: "GET",
    path: "/connect/links",
    summary: "List connect links, newest first; ended ones are kept for 31 days",
    principals: ["environment"],
    scope: "environment:connect_sessions:read",
    query: z.strictObject({
      state: linkState.optional().describe("Only links in this state."),
      ...pageQuery("Links", { most: 100, usual: 50 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(link).describe("The links, newest first."),
        next_cursor: z.string().nullable().describe("For the next page; null on the last."),
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  revokeConnectLink: defineRoute({
    method: "DELETE",
    path: "/connect/links/{linkId}",
    summary: "Revoke a connect link at once; sessions that it has begun continue",
    principals: ["environment"],
    scope: "environment:connect_sessions:write",
    params: z.strictObject({ linkId: uuid.describe("Link to revoke, as the list names it.") }),
    success: { status: 204 },
    errors: ["not_found"],
    idempotent: false,
  }),
  openConnectLink: defineRoute({
    method: "POST",
    path: "/connect/links/open",
    summary: "What a connect link is for, as its page shows it; spends no use",
    principals: ["public"],
    scope: "public",
    body: tokenBody,
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            integrations: z
              .array(z.string())
              .nullable()
              .describe("Names of the services to choose from; null when all are allowed."),
            asks_for: z
              .string()
              .nullable()
              .describe(
                "Name of the person or organization whose accounts are meant; null without.",
              ),
            expires_at: timestamp.describe("When the link ends."),
            uses_left: z.number().int().describe("How many sessions it may still begin."),
            needs_code: z.boolean().describe("Whether a code has to be entered."),
            language: pageLanguage
              .nullable()
              .describe("Language of its page; null: the browser's."),
            connectUISettings: pageSettings.describe(
              "How the page looks; set by `connect_ui` of the environment.",
            ),
          })
          .meta({ id: "OpenedConnectLink", description: "What a connect link is for." }),
      }),
    },
    errors: ["not_found"],
    idempotent: false,
    noStore: true,
  }),
  useConnectLink: defineRoute({
    method: "POST",
    path: "/connect/links/use",
    summary: "Begin the session of a connect link; spends one use",
    principals: ["public"],
    scope: "public",
    body: tokenBody.extend({
      code: z
        .string()
        .regex(/^\d{6}$/, "must be 6 digits")
        .optional()
        .describe("The link's code, where it needs one; after 10 wrong ones the link is revoked."),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            connect_link: z.string().describe("Address of the hosted page with the new session."),
            expires_at: timestamp.describe("When the session ends: 30 minutes from now."),
          })
          .meta({ id: "UsedConnectLink", description: "The session that the link has begun." }),
      }),
    },
    errors: ["not_found", "forbidden", "resource_capped"],
    idempotent: false,
    noStore: true,
  }),
  showConnectLink: defineRoute({
    method: "GET",
    path: "/connect/l/",
    summary: "The page of a connect link; its token comes after `#`, which no server sees",
    principals: ["public"],
    scope: "public",
    success: { status: 200 },
    errors: [],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
} as const;
