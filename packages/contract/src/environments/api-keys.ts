import * as z from "zod";
import { creator, integrationKey, success, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { isGrantableScope } from "../scopes.ts";

/** API keys of an environment, where a key of the account names the environment, and those of the account. */

const environmentId = z
  .uuid("must be the id of an environment, a UUID")
  .optional()
  .describe(
    "Environment of the key. Required with a key of the account; with a key of an environment it can only be its own.",
  );

const grantedScope = z
  .string()
  .max(255)
  .refine(
    (scope) => scope.startsWith("environment:") && isGrantableScope(scope),
    "must be a scope of an environment's key, such as environment:connections:read or environment:*",
  );

const grantedAccountScope = z
  .string()
  .max(255)
  .refine(
    (scope) => scope.startsWith("account:") && isGrantableScope(scope),
    "must be a scope of the account's key, such as account:environments:list or account:*",
  );

const scopesOf = (scope: z.ZodString) => z.array(scope).min(1).max(100);

const displayName = z
  .string()
  .min(1)
  .max(255)
  .meta({
    description: "Name for people, 1 to 255 characters, unique in the environment or account.",
    examples: ["backend in production"],
  });

const expiresAt = timestamp
  .nullable()
  .describe(
    "When the key stops working; null if it does not expire. A key that expires can only grant what ends no later.",
  );

const keyId = z.uuid("must be the id of a key, a UUID").describe("Id of the key; not its secret.");

const boundTo = z
  .strictObject({
    end_user_id: z
      .string()
      .min(1)
      .max(255)
      .describe("The end user: the tag `end_user_id` of their connections."),
    integrations: z
      .array(integrationKey)
      .min(1)
      .max(200)
      .optional()
      .describe("Only their connections to these integrations; absent: to all."),
  })
  .meta({ id: "KeyBounds", description: "Whose connections a key of an agent may use." });

const apiKey = z.strictObject({
  id: uuid.describe("Id of the key, by which it is changed and deleted; not the secret."),
  display_name: z.string().meta({
    description: "Name for people, unique in the environment.",
    examples: ["backend in production"],
  }),
  scopes: z
    .array(z.string())
    .describe("What the key may do. `environment:*` covers everything in its environment."),
  created_at: timestamp.describe("When the key was created."),
  created_by: creator
    .nullable()
    .describe("Who made the key; null for keys from before this was recorded."),
  expires_at: expiresAt,
  bound_to: boundTo
    .nullable()
    .describe("Whose connections alone the key may use; null for those of its environment."),
});

const listedApiKey = apiKey
  .extend({
    last_used_at: timestamp
      .nullable()
      .describe(
        "When the key last authenticated a call, to within a minute; null if it never has.",
      ),
    last_used_from: z
      .strictObject({
        address: z.string().nullable().describe("IP address of the caller."),
        user_agent: z
          .string()
          .nullable()
          .describe("What the caller calls itself: the first 200 characters of `User-Agent`."),
      })
      .meta({ id: "KeyCaller", description: "Where a call with a key came from." })
      .nullable()
      .describe("Where that call came from; null if there was none, or if that was not recorded."),
    replaced_by: uuid
      .nullable()
      .describe("The key that replaces this one, which still works; null if none does."),
  })
  .meta({
    id: "ListedApiKey",
    description: "An API key, without its secret.",
  });

const createdApiKey = apiKey
  .extend({
    secret: z
      .string()
      .describe("The text to send as `Authorization: Bearer`. It is shown only in this answer."),
  })
  .meta({ id: "CreatedApiKey", description: "An API key with its secret." });

const listed = {
  status: 200,
  schema: z.strictObject({ data: z.array(listedApiKey).describe("The keys, oldest first.") }),
} as const;

const created = {
  status: 200,
  schema: z.strictObject({ data: createdApiKey.describe("The new key.") }),
} as const;

const changed = {
  status: 200,
  schema: z.strictObject({ data: listedApiKey.describe("The key after the change.") }),
} as const;

const replacement = {
  key_ids: z
    .array(keyId)
    .min(1)
    .max(50)
    .describe("The keys to replace. If one of them is not there, none is replaced."),
  grace_seconds: z
    .number()
    .int()
    .min(0)
    .max(604_800)
    .optional()
    .describe(
      "How long the replaced keys still work, under another name, up to a week; 0, the default: they stop at once.",
    ),
};

const replaced = {
  status: 200,
  schema: z.strictObject({
    data: z
      .array(
        z
          .strictObject({
            replaced_key_id: uuid.describe("The key that was replaced."),
            works_until: timestamp
              .nullable()
              .describe("When the replaced key stops working; null if it already has."),
            key: createdApiKey.describe("The new key."),
          })
          .meta({ id: "ReplacedApiKey", description: "A key and the one in its place." }),
      )
      .describe("The new keys, in the order of `key_ids`."),
  }),
} as const;

const newScopes = (scope: z.ZodString, byDefault: string) =>
  scopesOf(scope)
    .optional()
    .meta({
      description: `What the key may do: scopes, or \`prefix:*\` for all that begin with it. Default: \`${byDefault}\`. A key can grant only what it holds itself.`,
      examples: [[byDefault]],
    });

const changedScopes = (scope: z.ZodString) =>
  scopesOf(scope)
    .optional()
    .describe("What the key may do from now on, in place of what it may do now.");

const changedName = displayName.optional().describe("Another name for people.");

const changedExpiry = expiresAt
  .optional()
  .describe("When the key stops working; null: it does not expire. Absent: as it is.");

export const apiKeyRoutes = {
  listApiKeys: defineRoute({
    method: "GET",
    path: "/environment/api-keys",
    summary: "List the keys of an environment, without their secrets",
    principals: ["environment", "account"],
    scope: ["environment:api_keys:list", "account:environments:api_keys:list"],
    query: z.strictObject({ environment_id: environmentId }),
    success: listed,
    errors: ["not_found"],
    idempotent: false,
  }),
  createApiKey: defineRoute({
    method: "POST",
    path: "/environment/api-keys",
    summary: "Create a key of an environment; its secret is shown this once",
    principals: ["environment", "account"],
    scope: ["environment:api_keys:create", "account:environments:api_keys:create"],
    stepUp: "always",
    body: z.strictObject({
      environment_id: environmentId,
      display_name: displayName,
      scopes: newScopes(grantedScope, "environment:*"),
      expires_at: expiresAt.optional(),
      bound_to: boundTo
        .optional()
        .describe(
          "For an agent: the key reaches the tools of one end user's connections by `POST /mcp`, and nothing else. Its scopes have to be `environment:mcp` alone.",
        ),
    }),
    success: created,
    errors: ["not_found", "conflict", "resource_capped"],
    idempotent: true,
  }),
  updateApiKey: defineRoute({
    method: "PATCH",
    path: "/environment/api-keys",
    summary: "Change a key's name, scopes or expiry; only what is sent changes",
    principals: ["environment", "account"],
    scope: ["environment:api_keys:update", "account:environments:api_keys:update"],
    stepUp: "always",
    body: z.strictObject({
      environment_id: environmentId,
      key_id: keyId,
      display_name: changedName,
      scopes: changedScopes(grantedScope),
      expires_at: changedExpiry,
    }),
    success: changed,
    errors: ["not_found", "conflict"],
    idempotent: false,
  }),
  deleteApiKey: defineRoute({
    method: "DELETE",
    path: "/environment/api-keys",
    summary: "Delete a key; it stops working at once",
    principals: ["environment", "account"],
    scope: ["environment:api_keys:delete", "account:environments:api_keys:delete"],
    stepUp: "always",
    body: z.strictObject({ environment_id: environmentId, key_id: keyId }),
    success: { status: 200, schema: success },
    errors: ["not_found"],
    idempotent: false,
  }),
  replaceApiKeys: defineRoute({
    method: "POST",
    path: "/environment/api-keys/replace",
    summary: "Replace keys by new ones with the same name, scopes, expiry and binding",
    principals: ["environment", "account"],
    scope: ["environment:api_keys:create", "account:environments:api_keys:create"],
    stepUp: "always",
    body: z.strictObject({ environment_id: environmentId, ...replacement }).meta({
      id: "KeyReplacement",
      examples: [{ key_ids: ["7c0a3a1e-6f0e-4f6b-9a51-3f0f5d9b2c11"], grace_seconds: 3600 }],
    }),
    success: replaced,
    errors: ["not_found", "resource_capped"],
    idempotent: true,
  }),
  listAccountApiKeys: defineRoute({
    method: "GET",
    path: "/account/api-keys",
    summary: "List the keys of the account, without their secrets",
    principals: ["account"],
    scope: "account:api_keys:list",
    success: listed,
    errors: [],
    idempotent: false,
  }),
  createAccountApiKey: defineRoute({
    method: "POST",
    path: "/account/api-keys",
    summary: "Create a key of the account; its secret is shown this once",
    principals: ["account"],
    scope: "account:api_keys:create",
    stepUp: "always",
    body: z.strictObject({
      display_name: displayName,
      scopes: newScopes(grantedAccountScope, "account:*"),
      expires_at: expiresAt.optional(),
    }),
    success: created,
    errors: ["conflict", "resource_capped"],
    idempotent: true,
  }),
  updateAccountApiKey: defineRoute({
    method: "PATCH",
    path: "/account/api-keys",
    summary: "Change a key of the account: its name, scopes or expiry; only what is sent changes",
    principals: ["account"],
    scope: "account:api_keys:update",
    stepUp: "always",
    body: z.strictObject({
      key_id: keyId,
      display_name: changedName,
      scopes: changedScopes(grantedAccountScope),
      expires_at: changedExpiry,
    }),
    success: changed,
    errors: ["not_found", "conflict"],
    idempotent: false,
  }),
  deleteAccountApiKey: defineRoute({
    method: "DELETE",
    path: "/account/api-keys",
    summary: "Delete a key of the account; it stops working at once",
    principals: ["account"],
    scope: "account:api_keys:delete",
    stepUp: "always",
    body: z.strictObject({ key_id: keyId }),
    success: { status: 200, schema: success },
    errors: ["not_found"],
    idempotent: false,
  }),
  replaceAccountApiKeys: defineRoute({
    method: "POST",
    path: "/account/api-keys/replace",
    summary: "Replace keys of the account by new ones with the same name, scopes and expiry",
    principals: ["account"],
    scope: "account:api_keys:create",
    stepUp: "always",
    body: z.strictObject(replacement),
    success: replaced,
    errors: ["not_found", "resource_capped"],
    idempotent: true,
  }),
} as const;
