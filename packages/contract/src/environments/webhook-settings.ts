import * as z from "zod";
import { timestamp, webhookUrl } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { failingReceiver } from "../webhooks/webhook-deliveries.ts";

/** Where webhooks of an environment go, and the keys that sign them. */

const webhookSettings = z
  .strictObject({
    primary_url: webhookUrl.describe(
      "Address that receives the webhooks. Without one, nothing is sent.",
    ),
    secondary_url: webhookUrl.describe("Second address that receives the same webhooks."),
    on_sync_completion_always: z
      .boolean()
      .describe(
        "Sends a webhook after every successful run of a sync, not only after one that changed records.",
      ),
    on_auth_creation: z
      .boolean()
      .describe("Sends a webhook when a connection is made, or could not be made."),
    on_auth_refresh_error: z
      .boolean()
      .describe("Sends a webhook when the credentials of a connection can no longer be renewed."),
    on_sync_error: z.boolean().describe("Sends a webhook after a failed run of a sync."),
    on_async_action_completion: z
      .boolean()
      .describe("Sends a webhook when an asynchronous action has ended."),
    on_webhook_sync_completion: z
      .boolean()
      .describe("Sends a webhook after a sync has successfully handled a provider's webhook."),
    on_audit_seal: z
      .boolean()
      .describe(
        "Sends the last seal of the audit log once an hour, where it has grown: kept elsewhere, it proves that nothing before it was removed. Only in the account that the installation was made with.",
      ),
    forward: z.boolean().describe("Forwards the webhooks of providers."),
    on_problem: z
      .boolean()
      .describe("Sends a webhook when a problem opens or ends (`GET /problems`); off at first."),
    on_agent_approval: z
      .boolean()
      .describe(
        "Sends a webhook when a call of an agent waits for a person, and when the person has decided (`GET /agent/approvals`).",
      ),
    on_agent_tool_changed: z
      .boolean()
      .describe(
        "Sends a webhook when another MCP server has changed a tool that agents may call, and the tool is gone for them until the change is accepted (`GET /agent/upstreams`).",
      ),
    on_canary: z
      .boolean()
      .describe("Sends a webhook when a canary was promoted or rolled back (`GET /canaries`)."),
  })
  .meta({
    id: "WebhookSettings",
    description: "Where webhooks of an environment go, and which are sent.",
  });

export type WebhookSettings = z.infer<typeof webhookSettings>;

const webhookSettingsWithKeys = webhookSettings
  .extend({
    signing_key: z
      .string()
      .describe(
        "The newest key that signs webhooks, as `whsec_…`; without the scope `environment:secrets:reveal` its last 4 characters alone, as `whsec_********AbC=`.",
      ),
    signing_keys: z
      .array(
        z.strictObject({
          key: z.string().describe("The key, or its mask, like `signing_key`."),
          created_at: timestamp.describe("When it was made."),
          expires_at: timestamp.nullable().describe("When it stops signing; null for the newest."),
        }),
      )
      .describe("The keys that sign webhooks now, newest first."),
    failing_receivers: z
      .array(failingReceiver)
      .describe(
        "Addresses whose last attempts failed. Webhooks to a disabled one are held until it is enabled.",
      ),
  })
  .meta({ id: "WebhookSettingsWithKeys" });

/** The keys only for who may read them. */
const changedWebhookSettings = webhookSettingsWithKeys
  .partial({
    signing_key: true,
    signing_keys: true,
  })
  .meta({
    id: "ChangedWebhookSettings",
    description:
      "The settings; the signing keys only for a key with the scope `environment:webhooks:read`, masked without `environment:secrets:reveal`.",
  });

export const webhookSettingsRoutes = {
  getWebhookSettings: defineRoute({
    method: "GET",
    path: "/environment/webhooks",
    summary: "Get where webhooks go, which are sent, and the keys that sign them",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    success: {
      status: 200,
      schema: z.strictObject({
        data: webhookSettingsWithKeys.describe(
          "The settings, with signing keys and failing endpoints.",
        ),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  revealWebhookSigningKeys: defineRoute({
    method: "POST",
    path: "/environment/webhooks/reveal",
    summary: "Show the keys that sign webhooks",
    principals: ["environment"],
    scope: "environment:secrets:reveal",
    stepUp: "always",
    noStore: true,
    success: {
      status: 200,
      schema: z.strictObject({
        data: webhookSettingsWithKeys
          .pick({ signing_key: true, signing_keys: true })
          .meta({ id: "WebhookSigningKeys", description: "The keys that sign webhooks now." }),
      }),
    },
    errors: ["forbidden"],
    idempotent: false,
    leavesCaches: true,
  }),
  updateWebhookSettings: defineRoute({
    method: "PATCH",
    path: "/environment/webhooks",
    summary: "Change webhook addresses and toggles; only the fields sent change",
    principals: ["environment"],
    scope: "environment:webhooks:write",
    body: webhookSettings.partial().meta({
      id: "WebhookSettingsChange",
      description: "Any part of the settings; what is omitted stays as it is.",
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: changedWebhookSettings.describe("The settings after the change."),
      }),
    },
    errors: ["destination_not_allowed"],
    idempotent: false,
  }),
  rotateWebhookSigningKey: defineRoute({
    method: "POST",
    path: "/environment/webhook-signing-key/rotate",
    summary: "Make a new signing key; the old one signs next to it for 24 hours, or ends at once",
    principals: ["environment"],
    scope: "environment:webhook_signing_key:rotate",
    stepUp: "always",
    body: z.strictObject({
      immediate: z
        .boolean()
        .optional()
        .describe(
          "`true` ends every older key at once. Default `false`: the newest of them signs for another 24 hours.",
        ),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({ webhook_signing_key: z.string().describe("The new key, as `whsec_…`.") })
          .describe("The result of the rotation."),
      }),
    },
    errors: ["multiple_webhook_signing_keys"],
    idempotent: true,
  }),
} as const;
