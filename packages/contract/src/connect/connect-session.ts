import * as z from "zod";
import {
  integrationKey,
  namedTexts,
  tags,
  timestamp,
  webAddress,
  webhookUrl,
  webOrigin,
} from "../fields.ts";
import { attemptId } from "./authorization.ts";
import { endUser } from "./end-user.ts";

/** Connect sessions: what they are made with, what their page shows, how their attempts end. */

const organization = z
  .strictObject({
    id: z
      .string()
      .min(1)
      .max(255)
      .meta({
        description: "Your id of the organization; becomes the tag `organization_id`.",
        examples: ["org-7"],
      }),
    display_name: z
      .string()
      .max(255)
      .optional()
      .meta({
        description: "Name for people; becomes the tag `organization_display_name`.",
        examples: ["Quay Ltd"],
      }),
  })
  .describe("Older form of tags: stored as `organization_id` and `organization_display_name`.");

const integrationDefaults = z
  .strictObject({
    user_scopes: z
      .string()
      .max(2048)
      .optional()
      .describe(
        "Scopes of the user to request, separated by commas, where the provider distinguishes these from the app's own.",
      ),
    authorization_params: namedTexts
      .optional()
      .describe("Further parameters for the provider's authorization page, by name."),
    connection_config: namedTexts
      .optional()
      .describe("Values of the connection's configuration; the page does not ask for them."),
  })
  .meta({
    id: "SessionDefaults",
    description: "What the session fixes for one integration; the end user cannot change it.",
  });

/** Languages of the pages that end users see. */
export const pageLanguage = z
  .enum(["en", "de", "fr", "es", "ja"])
  .meta({ id: "PageLanguage", description: "English, German, French, Spanish or Japanese." });

export const sessionFields = {
  tags: tags.optional().describe("Tags of the connections that the session makes."),
  end_user: endUser.optional().meta({ deprecated: true, description: "Deprecated: use `tags`." }),
  organization: organization
    .optional()
    .meta({ deprecated: true, description: "Deprecated: use `tags`." }),
  integrations_config_defaults: z
    .record(integrationKey, integrationDefaults)
    .optional()
    .meta({
      description: "By integration: values that the end user does not see and cannot change.",
      examples: [{ zendesk: { connection_config: { subdomain: "acme" } } }],
    }),
  overrides: z
    .record(
      integrationKey,
      z.strictObject({
        docs_connect: webAddress.optional().meta({
          description: "Guide for end users that the page links to, instead of the provider's.",
          examples: ["https://example.com/connect-crm"],
        }),
      }),
    )
    .optional()
    .describe("By integration: what the page shows differently."),
  webhook_url_override: webhookUrl
    .optional()
    .describe(
      "Where webhooks about connections of this session go instead of the environment's addresses.",
    ),
  allowed_origins: z
    .array(webOrigin)
    .max(100)
    .optional()
    .meta({
      description:
        "Web origins whose pages may embed the connect page and receive its result; at most 100. Default: the environment's `connect_allowed_origins`.",
      examples: [["https://app.example.com"]],
    }),
  language: pageLanguage
    .optional()
    .describe(
      "Language of the session's pages. Default: `lang` of the page's address, else the browser's; English where that is another.",
    ),
  return_url: webAddress.optional().meta({
    description:
      "Where the browser goes when the end user has finished and the page is not embedded; the result is added to its query.",
    examples: ["https://app.example.com/connected"],
  }),
};

export const createdSession = z.strictObject({
  data: z
    .strictObject({
      token: z
        .string()
        .describe(
          "Token of the session, for your frontend: it opens the connect page and authenticates the calls that this page makes.",
        ),
      connect_link: z
        .string()
        .describe("Address of the hosted page, with the token in it; send the end user there."),
      expires_at: timestamp.describe("When the session ends: 30 minutes after it was created."),
    })
    .meta({ id: "ConnectSession", description: "The session." }),
});

export const attemptResult = z
  .strictObject({
    state: z
      .enum(["waiting", "success", "error"])
      .describe(
        "`waiting`: the end user is not done yet; `success`: the connection was made; `error`: the attempt failed.",
      ),
    attempt_id: z
      .string()
      .optional()
      .describe("Id that the client gave the attempt; absent if there is none."),
    connection_id: z
      .string()
      .optional()
      .describe(
        "The connection that was made; absent before that, and once the connection is deleted.",
      ),
    provider_config_key: z
      .string()
      .optional()
      .describe("Integration of that connection; absent like `connection_id`."),
    is_pending: z
      .boolean()
      .optional()
      .describe(
        "`true` when the provider completes the connection later, by a webhook; otherwise absent.",
      ),
    error: z
      .strictObject({
        type: z.string().describe("Error code, such as `connection_test_failed`."),
        message: z.string().describe("What happened, for people."),
      })
      .optional()
      .describe("Why the attempt failed; only with the state `error`."),
  })
  .meta({ id: "ConnectAttempt", description: "How far one attempt to connect has come." });

/** The session's latest attempt where none is named. */
export const attemptQuery = z.strictObject({
  attempt_id: attemptId
    .optional()
    .describe("The attempt to ask about. Default: the latest of the session."),
});

const theme = z.strictObject({
  primary: z
    .string()
    .meta({ description: "Colour of buttons and links, as `#rrggbb`.", examples: ["#00B2E3"] }),
});

export const pageSettings = z
  .strictObject({
    theme: z
      .strictObject({
        light: theme.describe("Colours of the light theme."),
        dark: theme.describe("Colours of the dark theme."),
      })
      .describe("Colours of both themes."),
    defaultTheme: z
      .enum(["light", "dark", "system"])
      .describe("Theme to begin with; `system` follows the browser."),
    showWatermark: z.boolean().describe("Whether the page names the product that it comes from."),
    app: z
      .strictObject({
        name: z.string().nullable().describe("Its name; null: the page names no app."),
        logo: z.string().nullable().describe("Its logo as a `data:` URL; null without one."),
        termsUrl: z.string().nullable().describe("Its terms; null without an address."),
        privacyUrl: z.string().nullable().describe("Its privacy policy; null without an address."),
      })
      .describe("The app that asks for access."),
  })
  .meta({ id: "ConnectPageSettings", description: "How pages for end users look." });

export const openSession = z.strictObject({
  data: z
    .strictObject({
      endUser: z
        .strictObject({
          id: z.string().describe("Your id of the end user."),
          display_name: z.string().nullable().describe("Name for people; null without one."),
          email: z.string().nullable().describe("E-mail address; null without one."),
          tags: z
            .record(z.string(), z.string())
            .nullable()
            .describe(
              "Tags of the end user, where the session was created with `end_user`; otherwise null.",
            ),
          organization: z
            .strictObject({
              id: z.string().describe("Your id of the organization."),
              display_name: z.string().nullable().describe("Name for people; null without one."),
            })
            .nullable()
            .describe("The end user's organization; null without one."),
        })
        .nullable()
        .describe("The end user that the session's tags name; null without one."),
      connectUISettings: pageSettings.describe(
        "How the page looks; set by `connect_ui` of the environment.",
      ),
      expires_at: timestamp.describe("When the session ends."),
      allowed_integrations: z
        .array(z.string())
        .optional()
        .describe("Keys of the integrations to choose from; absent when all are allowed."),
      integrations_config_defaults: z
        .record(z.string(), integrationDefaults)
        .optional()
        .describe(
          "By integration: values that the session fixes, secret ones without their text; absent without any.",
        ),
      overrides: z
        .record(
          z.string(),
          z.strictObject({
            docs_connect: z
              .string()
              .optional()
              .describe("Guide for end users that the page links to."),
          }),
        )
        .optional()
        .describe("By integration: what the page shows differently; absent without any."),
      language: pageLanguage
        .optional()
        .describe("Language that the session was created with; absent if there is none."),
      purpose: z
        .literal("manage")
        .optional()
        .describe("`manage` for a session that shows connections; otherwise absent."),
      isReconnecting: z
        .literal(true)
        .optional()
        .describe(
          "`true` when the session authorizes an existing connection again; otherwise absent.",
        ),
      return_url: z
        .string()
        .optional()
        .describe("Where the browser goes at the end; absent if there is none."),
      allowed_origins: z
        .array(z.string())
        .optional()
        .describe("Web origins that may embed the page; absent when any may."),
      websocketsPath: z
        .string()
        .optional()
        .describe(
          "Path of the WebSocket for popups; present only where the operator has set `SVC_COMPAT_PREFIX`.",
        ),
      attempts: z.array(attemptResult).describe("The latest 50 attempts, newest first."),
    })
    .describe("What the session allows, and what its page shows."),
});

export const sessionAccess = z.strictObject({
  data: z
    .strictObject({
      scopes: z
        .array(z.string())
        .describe(
          "Scopes that the provider will be asked for, by their names there; empty where the mode has none, or the provider decides.",
        ),
    })
    .meta({ id: "ConnectAccess", description: "What connecting gives access to." }),
});
