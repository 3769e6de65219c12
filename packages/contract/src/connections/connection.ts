import * as z from "zod";
import { stageFields } from "../connect/connect-stages.ts";
import { presentedEndUser } from "../connect/end-user.ts";
import { connectionId, integrationKey, jsonObject, timestamp } from "../fields.ts";
import { camelCaseOf } from "../synonyms.ts";
import { connectionCredentials } from "./connection-credentials.ts";

/** A connection as the API shows it, and how its routes name one. */

export const connectionStates = [
  "ok",
  "refreshing",
  "backoff",
  "needs_reauthorization",
  "pending",
] as const;
export type ConnectionState = (typeof connectionStates)[number];

export const connectionState = z.enum(connectionStates).meta({
  id: "ConnectionState",
  description:
    "`ok`: its credentials can be used; `refreshing`: they are being renewed at this moment; `backoff`: the last token refresh failed for a reason that may pass, and is tried again; `needs_reauthorization`: only the end user can help, by connecting again; `pending`: it waits for a webhook of the provider that completes it.",
});

const refreshFailure = z
  .strictObject({
    cause: z
      .enum([
        "provider_unavailable",
        "client_refused",
        "integration_misconfigured",
        "grant_refused",
        "server_error",
      ])
      .describe(
        "`provider_unavailable`: the token endpoint gave no token for a reason that may pass; `client_refused`: it refuses the client id or client secret of the integration; `integration_misconfigured`: another setting of the integration is refused, such as its token URL; `grant_refused`: the provider takes these credentials no more; `server_error`: the server itself failed.",
      ),
    code: z.string().meta({
      description: "Error code of calls that need a fresh token meanwhile.",
      examples: ["connection_refresh_backoff"],
    }),
    message: z.string().meta({
      description: "What the last refresh failed with, in words that hold no secret.",
      examples: ["The token endpoint answered 401 (invalid_client)."],
    }),
    provider_error: z
      .string()
      .nullable()
      .meta({
        description:
          "The error code in the provider's answer, cut to letters, digits, `_`, `.` and `-`; null without one.",
        examples: ["invalid_client"],
      }),
    since: timestamp.describe("When refreshes began to fail for this cause."),
    last_at: timestamp.describe("When the last one failed."),
    next: z
      .enum(["retry", "operator", "end_user"])
      .describe(
        "What ends it. `retry`: the server retries automatically; `operator`: retries fail until somebody changes the integration, or the client at the provider; `end_user`: only connecting again helps, and nothing is retried.",
      ),
    next_attempt_at: timestamp
      .nullable()
      .describe(
        "When the next refresh may begin, by itself or for a call that needs a token; null where nothing is retried, and where the next call tries at once since the integration was changed.",
      ),
  })
  .meta({
    id: "ConnectionRefreshFailure",
    description: "Why the credentials of a connection are not renewed, and what happens next.",
  });

const connectionHealth = z
  .strictObject({
    state: connectionState.describe("State of the connection."),
    expires_at: timestamp
      .nullable()
      .describe("When its credentials expire; null when they do not, or when it is not known."),
    last_refreshed_at: timestamp
      .nullable()
      .describe(
        "When the provider last issued its credentials; null for credentials that were imported.",
      ),
    next_refresh_at: timestamp
      .nullable()
      .describe(
        "When the token is refreshed next though nobody asks; in `backoff` the earliest next attempt. Null where neither is planned. A call that needs a fresh token refreshes it earlier.",
      ),
    reauthorize_by: timestamp
      .nullable()
      .describe(
        "When nothing can renew the credentials any more, so that the end user has to authorize again: when they expire without a refresh token, or when the provider says that the refresh token ends. Null when neither is known.",
      ),
    last_used_on: z.iso.date().meta({
      description:
        "The day (UTC) on which the credentials were last used: read, or called with. At first the day on which the connection was made.",
      examples: ["2026-01-31"],
    }),
    refresh_failures: z
      .number()
      .int()
      .describe("Token refreshes that failed in a row; 0 after a success."),
    failure: refreshFailure
      .nullable()
      .describe("Why the last token refresh failed; null after a success."),
    account_identity: z
      .string()
      .nullable()
      .meta({
        description:
          "Whose account it is at the provider: e-mail address, user name or subject of the OpenID Connect ID token that came with the credentials. Null where the provider sends none.",
        examples: ["ada@example.com"],
      }),
    scopes_granted: z
      .array(z.string())
      .nullable()
      .meta({
        description:
          "Scopes that the provider says it has granted; null where its token answer names none.",
        examples: [["repo", "read:user"]],
      }),
  })
  .meta({
    id: "ConnectionHealth",
    description: "State of a connection's credentials. Contains no secret.",
  });

const connectionAccount = z
  .strictObject({
    id: z.string().meta({
      description: "Id of the account at the provider, the same for every connection to it.",
      examples: ["583231"],
    }),
    label: z
      .string()
      .nullable()
      .meta({
        description: "How people know it: a user name, a name, or the name of a workspace.",
        examples: ["octocat"],
      }),
    email: z
      .string()
      .nullable()
      .meta({ description: "Its e-mail address.", examples: ["ada@example.com"] }),
    workspace: z
      .string()
      .nullable()
      .meta({
        description: "The workspace, organization or company that it belongs to.",
        examples: ["Acme"],
      }),
  })
  .meta({
    id: "ConnectionAccount",
    description:
      "Whose account a connection is at its provider, in the provider's words. What the provider does not say is null.",
  });

export const connection = z
  .strictObject({
    id: z.number().int().describe("Number of the connection, unique in the installation."),
    connection_id: z.string().meta({
      description: "Id of the connection, unique in its integration.",
      examples: ["user-42"],
    }),
    provider_config_key: z
      .string()
      .meta({ description: "Key of its integration.", examples: ["github"] }),
    provider: z
      .string()
      .meta({ description: "Id of the integration's provider.", examples: ["github"] }),
    errors: z
      .array(
        z
          .strictObject({
            type: z
              .string()
              .describe(
                "`auth`: its credentials cannot be renewed or were refused; `sync`: a scheduled run of a sync failed, with its retries, and none has succeeded since.",
              ),
            log_id: z.string().describe("Id of the operation in the logs with the details."),
            sync: z
              .string()
              .optional()
              .meta({
                description:
                  "For `sync`: the sync that failed, `name::variant` for a variant. Absent otherwise.",
                examples: ["contacts"],
              }),
            ...stageFields,
          })
          .meta({
            id: "ConnectionError",
            description: "Something that is wrong with a connection.",
          }),
      )
      .describe(
        "What is wrong with the connection now; empty when it works. An error leaves the list as soon as what failed has succeeded.",
      ),
    end_user: presentedEndUser
      .nullable()
      .describe("The end user that the tags name; null without the tag `end_user_id`."),
    metadata: jsonObject
      .nullable()
      .describe("Your own data about the connection; null when none was set."),
    tags: z
      .record(z.string(), z.string())
      .describe("Texts of yours by key, such as `end_user_id`. Keys are in lower case."),
    connection_config: jsonObject.describe(
      "Values that the provider's addresses and headers need. Secret ones are under `connection_config` in `credentials`.",
    ),
    created: timestamp.describe("Same as `created_at`, for older clients."),
    created_at: timestamp.describe("When the connection was made."),
    updated_at: timestamp.describe("When it was last changed; a token refresh counts."),
    webhook_url_override: z
      .string()
      .nullable()
      .describe(
        "Where webhooks about this connection go instead of the environment's addresses; null for these.",
      ),
    has_webhook_secret: z
      .boolean()
      .describe(
        "Whether a secret is set for the provider's webhooks about this connection; `POST /connections/{connectionId}/reveal` shows it as `webhook_secret`.",
      ),
    account: connectionAccount
      .nullable()
      .describe(
        "Whose account it is at the provider, asked for once the connection is made or authorized again. Null until then, where the provider's entry has no `identity`, and where the provider does not say.",
      ),
    frozen_by: z
      .string()
      .nullable()
      .describe(
        "Id of the revocation that keeps everyone from using the connection: calls answer `connection_frozen`, and lists leave its credentials out. Null for others.",
      ),
    read_through: z
      .string()
      .nullable()
      .describe(
        "Id of the old platform that refreshes the tokens of the connection: this server asks it for them, and has no refresh token. Null for connections that are refreshed here.",
      ),
    last_fetched_at: timestamp
      .nullable()
      .describe(
        "When its credentials were last read through the API, to within a minute; null if they never were.",
      ),
    health: connectionHealth
      .optional()
      .describe("State of its credentials; only with `include=health`."),
    credentials: connectionCredentials
      .optional()
      .describe(
        "Its credentials, by `type`. Only for a key that may read them. `GET /connections/{connectionId}` renews them first when they are about to expire. Refresh tokens are omitted unless `refresh_token=true`.",
      ),
  })
  .meta({
    id: "Connection",
    description: "A connection: one end user's credentials for one integration.",
  });

export const idParams = z.strictObject({
  connectionId: connectionId.describe("Connection to work on."),
});
export const integrationQuery = z.strictObject({
  provider_config_key: integrationKey.describe("Integration of the connection."),
});
export const integrationSynonyms = { query: camelCaseOf("provider_config_key") };

/** Older routes take the integration as a header, too. */
export const integrationHeader = z.object({
  "provider-config-key": integrationKey
    .optional()
    .describe("Integration of the connection, unless the query names it."),
});
