import * as z from "zod";
import { success, timestamp, uuid } from "./fields.ts";
import { defineRoute } from "./route.ts";
import { isGrantableScope } from "./scopes.ts";

/** API keys of an environment. A key of the account names the environment. */

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

const apiKey = z.strictObject({
  id: uuid.describe("Id of the key, by which it is deleted; not the secret."),
  display_name: z.string().meta({
    description: "Name for people, unique in the environment.",
    examples: ["backend in production"],
  }),
  scopes: z
    .array(z.string())
    .describe("What the key may do. `environment:*` covers everything in its environment."),
  created_at: timestamp.describe("When the key was created."),
});

export const apiKeyRoutes = {
  listApiKeys: defineRoute({
    method: "GET",
    path: "/environment/api-keys",
    summary: "List the keys of an environment, without their secrets",
    principals: ["environment", "account"],
    scope: ["environment:api_keys:list", "account:environments:api_keys:list"],
    query: z.strictObject({ environment_id: environmentId }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .array(
            apiKey
              .extend({
                last_used_at: timestamp
                  .nullable()
                  .describe(
                    "When the key last authenticated a call, to within a minute; null if it never has.",
                  ),
              })
              .meta({
                id: "ListedApiKey",
                description: "An API key of an environment, without its secret.",
              }),
          )
          .describe("The keys, oldest first."),
      }),
    },
    errors: ["not_found"],
    idempotent: false,
  }),
  createApiKey: defineRoute({
    method: "POST",
    path: "/environment/api-keys",
    summary: "Create a key of an environment; its secret is shown this once",
    principals: ["environment", "account"],
    scope: ["environment:api_keys:create", "account:environments:api_keys:create"],
    body: z.strictObject({
      environment_id: environmentId,
      display_name: z
        .string()
        .min(1)
        .max(255)
        .meta({
          description: "Name for people, 1 to 255 characters, unique in the environment.",
          examples: ["backend in production"],
        }),
      scopes: z
        .array(grantedScope)
        .min(1)
        .max(100)
        .optional()
        .meta({
          description:
            "What the key may do: scopes of an environment, or `prefix:*` for all that begin with it. Default: `environment:*`. A key can grant only what it holds itself.",
          examples: [["environment:proxy"]],
        }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: apiKey
          .extend({
            secret: z
              .string()
              .describe(
                "The text to send as `Authorization: Bearer`. It is shown only in this answer.",
              ),
          })
          .meta({ id: "CreatedApiKey", description: "An API key with its secret." })
          .describe("The new key."),
      }),
    },
    errors: ["not_found", "conflict", "resource_capped"],
    idempotent: true,
  }),
  deleteApiKey: defineRoute({
    method: "DELETE",
    path: "/environment/api-keys",
    summary: "Delete a key; it stops working at once",
    principals: ["environment", "account"],
    scope: ["environment:api_keys:delete", "account:environments:api_keys:delete"],
    body: z.strictObject({
      environment_id: environmentId,
      key_id: z
        .uuid("must be the id of a key, a UUID")
        .describe("Id of the key to delete; not its secret."),
    }),
    success: { status: 200, schema: success },
    errors: ["not_found"],
    idempotent: false,
  }),
} as const;
