import * as z from "zod";
import { jsonObject, success, timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Providers of an environment's own, in the schema of the catalogue. */

const slug = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-zA-Z0-9_-]+$/, "may hold letters, digits, _ and - only");

const params = z.strictObject({ slug: slug.describe("Id of the custom provider.") });

const customProvider = z
  .strictObject({
    slug: slug.meta({
      description: "Its id, by which integrations name it.",
      examples: ["acme-crm"],
    }),
    version: z
      .number()
      .int()
      .min(1)
      .describe(
        "Number of the entry's version, from 1; each change raises it. Integrations stay with the version they were made with, unless they follow the latest.",
      ),
    replaces_built_in: z
      .boolean()
      .describe("Whether it takes the place of a provider of the catalogue that has the same id."),
    entry: jsonObject.describe("The entry as it was sent, in the schema of the catalogue."),
    created_at: timestamp.describe("When it was added."),
    updated_at: timestamp.describe("When its entry was last replaced."),
  })
  .meta({
    id: "CustomProvider",
    description: "A provider that an environment has defined for itself.",
  });

const one = {
  status: 200,
  schema: z.strictObject({ data: customProvider.describe("The provider.") }),
} as const;

export const customProviderRoutes = {
  listCustomProviders: defineRoute({
    method: "GET",
    path: "/custom-providers",
    summary: "List the environment's own providers",
    principals: ["environment"],
    scope: "environment:providers:read",
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(customProvider).describe("The environment's providers, by id."),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  getCustomProvider: defineRoute({
    method: "GET",
    path: "/custom-providers/{slug}",
    summary: "Get one of the environment's own providers",
    principals: ["environment"],
    scope: "environment:providers:read",
    params,
    success: one,
    errors: ["not_found"],
    idempotent: false,
  }),
  createCustomProvider: defineRoute({
    method: "POST",
    path: "/custom-providers",
    summary: "Add a provider to the environment; its `id` is what integrations name",
    principals: ["environment"],
    scope: "environment:providers:write",
    body: z.strictObject({
      entry: jsonObject.describe(
        "The provider as data, in the schema of the catalogue; its `id` is what integrations name.",
      ),
      replaces_built_in: z
        .boolean()
        .optional()
        .describe(
          "Must be `true` if the catalogue has a provider of that id: new integrations then take this entry. Default `false`.",
        ),
    }),
    success: one,
    errors: ["resource_capped"],
    idempotent: true,
  }),
  updateCustomProvider: defineRoute({
    method: "PATCH",
    path: "/custom-providers/{slug}",
    summary: "Replace the entry of a custom provider by a new version",
    principals: ["environment"],
    scope: "environment:providers:write",
    params,
    body: z.strictObject({
      entry: jsonObject.describe("The whole new entry, with the same `id`."),
    }),
    success: one,
    errors: ["not_found"],
    idempotent: false,
  }),
  deleteCustomProvider: defineRoute({
    method: "DELETE",
    path: "/custom-providers/{slug}",
    summary: "Delete a custom provider; integrations keep the version that they have",
    principals: ["environment"],
    scope: "environment:providers:write",
    params,
    success: { status: 200, schema: success },
    errors: ["not_found"],
    idempotent: false,
  }),
  validateProvider: defineRoute({
    method: "POST",
    path: "/providers/validate",
    summary: "Check an entry, or a file of a family as YAML, without keeping it",
    principals: ["environment"],
    scope: "environment:providers:read",
    body: z
      .strictObject({
        entry: jsonObject.optional().describe("An entry to check; send either this or `file`."),
        file: z
          .string()
          .max(16_384)
          .optional()
          .meta({
            description:
              "Text of a provider file (YAML, a family with its providers), up to 16,384 characters.",
            examples: ["family: acme\nname: Acme\nvariants: []\n"],
          }),
      })
      .refine((body) => (body.entry === undefined) !== (body.file === undefined), {
        message: "needs either an entry or a file",
      }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            valid: z.boolean().describe("Whether nothing is wrong."),
            providers: z.array(z.string()).describe("Ids of the entries without a fault."),
            faults: z
              .array(z.string())
              .describe("What is wrong, a line each: entry, path and reason. Empty when valid."),
          })
          .describe("The result of the check."),
      }),
    },
    errors: [],
    idempotent: false,
  }),
} as const;
