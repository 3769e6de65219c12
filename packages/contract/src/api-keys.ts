import * as z from "zod";
import { success, timestamp } from "./fields.ts";
import { defineRoute } from "./route.ts";
import { isGrantableScope } from "./scopes.ts";

/** API keys of an environment. A key of the account names the environment. */

const environmentId = z.uuid("must be the id of an environment, a UUID").optional();

const grantedScope = z
  .string()
  .max(255)
  .refine(
    (scope) => scope.startsWith("environment:") && isGrantableScope(scope),
    "must be a scope of an environment's key, such as environment:connections:read or environment:*",
  );

const apiKey = z.strictObject({
  id: z.uuid(),
  display_name: z.string(),
  scopes: z.array(z.string()),
  created_at: timestamp,
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
        data: z.array(apiKey.extend({ last_used_at: timestamp.nullable() })),
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
      display_name: z.string().min(1).max(255),
      /** Default: everything in the environment. */
      scopes: z.array(grantedScope).min(1).max(100).optional(),
    }),
    success: {
      status: 200,
      schema: z.strictObject({ data: apiKey.extend({ secret: z.string() }) }),
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
      key_id: z.uuid("must be the id of a key, a UUID"),
    }),
    success: { status: 200, schema: success },
    errors: ["not_found"],
    idempotent: false,
  }),
} as const;
