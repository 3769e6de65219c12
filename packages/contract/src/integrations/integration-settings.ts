import * as z from "zod";

/** How an integration behaves. */

const overrideUrl = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .optional();

const overrideTexts = z.record(z.string().min(1).max(255), z.string().max(2048)).optional();

/** `header:<name>`, `query:<name>`, or names and list indexes in the payload with dots between them. */
const place = z
  .string()
  .max(255)
  .regex(
    /^((header|query):[A-Za-z0-9_.-]+|[^.:\0]+(\.[^.:\0]+)*)$/,
    "has to be header:<name>, query:<name>, or names in the payload with dots between them",
  );

const connectionProperty = z
  .string()
  .max(255)
  .regex(
    /^(connectionId|(config|metadata)\.[A-Za-z_][A-Za-z0-9_.-]*)$/,
    "has to be connectionId, config.<name> or metadata.<name>",
  );

const webhookRules = z.strictObject({
  match: z
    .array(
      z.strictObject({
        value: place.meta({
          description:
            "Where the event names the account: `header:<name>`, `query:<name>`, or a path in the payload with dots.",
          examples: ["account.id"],
        }),
        property: connectionProperty.meta({
          description:
            "What of a connection must equal it: `connectionId`, `config.<name>` or `metadata.<name>`.",
          examples: ["metadata.accountId"],
        }),
      }),
    )
    .max(10)
    .optional()
    .describe(
      "Ways to find the connection of an event, tried in order before those of the provider's own; at most 10.",
    ),
  type: place.optional().meta({
    description:
      "Where the event names its type, by which syncs subscribe to it; written like `value`.",
    examples: ["header:x-event-type"],
  }),
  event_id: place.optional().meta({
    description:
      "Where the event has an id that is the same in every repetition; repetitions are not handled again. Written like `value`.",
    examples: ["id"],
  }),
});

export const integrationSettings = z
  .strictObject({
    allowed_hosts: z
      .array(z.string().min(1).max(253))
      .max(100)
      .optional()
      .meta({
        description:
          "Further hosts to which its credentials may be sent, at most 100; the provider's own are always allowed.",
        examples: [["files.example.com"]],
      }),
    state_binding: z
      .enum(["strict", "off"])
      .optional()
      .describe(
        "`strict`, the default: an authorization must end in the browser in which it began. `off`: it may end in another.",
      ),
    overrides: z
      .strictObject({
        simulator_url: z
          .url({ protocol: /^https?$/ })
          .max(2048)
          .optional()
          .describe(
            "Address of a simulator that takes the provider's place; only one that the operator has allowed.",
          ),
        base_url: overrideUrl.describe("Base URL of the provider's API."),
        authorization_url: overrideUrl.describe("Page to which end users are sent."),
        token_url: overrideUrl.describe("Address that issues tokens."),
        refresh_url: overrideUrl.describe("Address that refreshes tokens."),
        revocation_url: overrideUrl.describe("Address that revokes tokens."),
        scopes: z
          .array(z.string().min(1).max(500))
          .max(200)
          .optional()
          .describe(
            "Scopes that are always requested, instead of those of the entry; the integration's own are added.",
          ),
        headers: overrideTexts.describe(
          "Headers of calls to the provider, by name; added to those of the entry, or in their place.",
        ),
        authorization_params: overrideTexts.describe(
          "Parameters of the authorization page, by name; added to those of the entry, or in their place.",
        ),
        token_params: overrideTexts.describe(
          "Parameters of token requests, by name; added to those of the entry, or in their place.",
        ),
      })
      .optional()
      .describe("Values that replace those of the provider's entry."),
    provider_version: z
      .enum(["pinned", "latest"])
      .optional()
      .describe(
        "For a custom provider: `pinned`, the default, keeps the version of its entry; `latest` follows changes of it.",
      ),
    revoke_on_delete: z
      .boolean()
      .optional()
      .describe(
        "Whether the tokens of a deleted connection are revoked at the provider. Default: yes, unless that would revoke those of other connections as well.",
      ),
    forward_raw: z
      .boolean()
      .optional()
      .describe(
        "Whether forwarded webhooks also carry the bytes as received, in base64. Default `false`.",
      ),
    allow_unsigned_webhooks: z
      .boolean()
      .optional()
      .describe("Accepts webhooks without a signature although a secret is set. Default `false`."),
    webhooks: webhookRules
      .optional()
      .describe("How webhooks are read, in addition to what is known of the provider."),
    webhook_sequence: z
      .string()
      .max(255)
      .regex(/^(\/[^/]{1,100}){1,5}$/)
      .optional()
      .meta({
        description:
          "Where events of the provider carry a number that goes up by 1 for each connection: a JSON pointer (RFC 6901) into the payload. Numbers that have not come are then shown by `GET /webhooks/inbox/connections`. Default: that of the provider's entry, which few have.",
        examples: ["/SequenceNumber"],
      }),
    webhook_limit_per_min: z
      .number()
      .int()
      .min(0)
      .max(10_000_000)
      .optional()
      .describe(
        "Webhooks accepted in a minute; further ones are answered 429. 0: no limit. Default: the operator's limit.",
      ),
  })
  .meta({ id: "IntegrationSettings", description: "How an integration behaves." });

/** Only what changes; null takes a setting back to its default. */
export const integrationSettingsChange = z.strictObject(withNulls(integrationSettings.shape)).meta({
  id: "IntegrationSettingsChange",
  description:
    "The settings that change; the others stay. `null` takes a setting back to its default.",
});

type Nullable<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: z.ZodNullable<Shape[Name]>;
};

// Each name keeps its schema, which the type of `Object.fromEntries` does not say.
function withNulls<Shape extends z.ZodRawShape>(shape: Shape): Nullable<Shape> {
  const entries = Object.entries<z.ZodType>(Object(shape)).map(([name, schema]) => [
    name,
    schema.nullable().meta({ ...schema.meta() }),
  ]);
  return Object.fromEntries(entries) as Nullable<Shape>;
}
