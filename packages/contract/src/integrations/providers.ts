import * as z from "zod";
import { includeOf, jsonObject, providerName } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** The catalogue: what can be integrated and what each provider asks for. */

export const providerField = z
  .strictObject({
    type: z.literal("string").describe("Always `string`."),
    title: z
      .string()
      .meta({ description: "What to call the field on a form.", examples: ["Subdomain"] }),
    description: z
      .string()
      .optional()
      .describe("What to enter; absent where the title says enough."),
    example: z.string().optional().describe("An example of a value."),
    format: z
      .string()
      .optional()
      .describe("Form of the value, such as `uri` or `hostname`; absent if there is none."),
    pattern: z
      .string()
      .optional()
      .describe(
        "Regular expression that the value must match; absent if there is none, and for connect sessions.",
      ),
    enum: z
      .array(z.string())
      .optional()
      .describe("The values to choose from; absent when any is allowed."),
    default_value: z.string().optional().describe("Value that is taken when none is entered."),
    prefix: z
      .string()
      .optional()
      .describe("Text to show before the input, such as `https://`. It is not part of the value."),
    suffix: z
      .string()
      .optional()
      .describe(
        "Text to show after the input, such as `.example.com`. It is not part of the value.",
      ),
    optional: z
      .boolean()
      .optional()
      .describe("`true` when it may be left empty; otherwise absent."),
    secret: z
      .boolean()
      .optional()
      .describe(
        "`true` when the value is secret, to be hidden while it is typed; otherwise absent.",
      ),
    automated: z
      .boolean()
      .optional()
      .describe(
        "`true` when the server finds the value itself, so that no form asks for it; otherwise absent.",
      ),
    hidden: z
      .boolean()
      .optional()
      .describe("`true` when the value is accepted but not asked for; otherwise absent."),
    order: z.number().int().describe("Its place on the form, from 1."),
  })
  .meta({ id: "ProviderField", description: "A value that a provider asks for." });

const fields = z.record(z.string(), providerField);

const providerStats = z
  .strictObject({
    integrations: z.number().int().describe("Integrations of the provider in the environment."),
    connections: z.number().int().describe("Connections that these have, in any state."),
  })
  .meta({ id: "ProviderStats", description: "How much an environment uses a provider." });

const provider = z
  .strictObject({
    name: z.string().meta({ description: "Id of the provider.", examples: ["github"] }),
    display_name: z.string().meta({ description: "Name for people.", examples: ["GitHub"] }),
    family: z.string().meta({
      description:
        "Id of the product. Providers of one family are ways to authorize with the same product.",
      examples: ["github"],
    }),
    family_name: z.string().meta({ description: "Name of the product.", examples: ["GitHub"] }),
    popular: z
      .boolean()
      .optional()
      .describe("`true` for the products that are asked for most; otherwise absent."),
    unverified: z
      .boolean()
      .optional()
      .describe(
        "`true` if the entry has only one source for a fact: test it before you build on it. Otherwise absent.",
      ),
    checked_at: z
      .string()
      .optional()
      .meta({
        description:
          "Day on which the entry was last compared with its sources, `YYYY-MM-DD`; absent if it never was.",
        examples: ["2026-01-31"],
      }),
    deprecated: z
      .strictObject({
        reason: z.string().describe("The reason, a sentence."),
        replaced_by: z
          .string()
          .optional()
          .describe("Id of the provider to use instead; absent if there is none."),
      })
      .optional()
      .describe("Why new integrations should not use it; absent for providers that are current."),
    custom_version: z
      .number()
      .int()
      .optional()
      .describe("Version of the entry of a custom provider; absent for others."),
    categories: z
      .array(z.string())
      .meta({ description: "Categories, such as `crm`.", examples: [["dev-tools"]] }),
    auth_mode: z.string().describe("How it authorizes: the `type` of its credentials."),
    docs: z.string().describe("Address of the vendor's documentation."),
    docs_connect: z
      .string()
      .optional()
      .describe(
        "Page on which end users find their credentials, or read how to get them; else the documentation.",
      ),
    logo_url: z.string().describe("Address of its logo, an SVG."),
    authorization_url: z
      .string()
      .optional()
      .describe(
        "Page to which end users are sent, with placeholders for values of `connection_config`; absent if there is none.",
      ),
    token_url: z
      .string()
      .optional()
      .describe("Address that issues tokens, with placeholders; absent if there is none."),
    installation: z
      .string()
      .optional()
      .describe(
        "`outbound` when a connection is completed by a webhook of the provider; otherwise absent.",
      ),
    scope_separator: z
      .string()
      .optional()
      .meta({
        description:
          "Text between the scopes of an authorization request; absent for providers without scopes.",
        examples: [" "],
      }),
    default_scopes: z
      .array(z.string())
      .optional()
      .describe("Scopes that are always requested; absent without any."),
    example_scopes: z
      .array(z.string())
      .optional()
      .meta({
        description: "Some scopes as the vendor spells them; absent without any.",
        examples: [["repo"]],
      }),
    connect_method: z
      .enum(["browser", "form"])
      .describe(
        "`browser`: the end user goes to the provider's pages; `form`: the end user fills in the fields of `credentials`.",
      ),
    proxy: jsonObject
      .optional()
      .describe(
        "How its API is called: `base_url`, `headers`, `query`, `paginate`, `retry`; absent where no base URL is known.",
      ),
    callback_url: z
      .string()
      .optional()
      .describe(
        "Callback URL to register at the provider; only in the answer for one provider, and left out where end users are not sent to it.",
      ),
    connection_config: fields.describe("Values that each connection needs, by name."),
    credentials: fields.describe("Credentials that an end user enters, by name."),
    integration_config: fields.describe("Values that each integration needs, by name."),
    integration_credentials: fields
      .optional()
      .describe(
        "Credentials that an integration has of its own, such as an OAuth client, by name; only in the answer for one provider, and left out where integrations have none.",
      ),
    stats: providerStats.optional().describe("Its counts. Only in the list, with `include=stats`."),
  })
  .meta({ id: "Provider", description: "A provider, as the catalogue describes it." });

const providerSummary = provider
  .pick({
    name: true,
    display_name: true,
    family: true,
    family_name: true,
    popular: true,
    unverified: true,
    deprecated: true,
    custom_version: true,
    categories: true,
    auth_mode: true,
    logo_url: true,
    connect_method: true,
    stats: true,
  })
  .meta({ id: "ProviderSummary", description: "A provider as a list shows it." });

export const providerRoutes = {
  listProviders: defineRoute({
    method: "GET",
    path: "/providers",
    summary: "List the providers of the catalogue",
    principals: ["environment", "session"],
    scope: "any-key",
    query: z.strictObject({
      search: z
        .string()
        .max(255)
        .regex(/^[a-zA-Z0-9~:.@ _-]*$/, "may hold letters, digits, spaces and ~ : . @ _ - only")
        .optional()
        .meta({
          description:
            "Only providers whose id or name contains this text; upper and lower case are the same.",
          examples: ["git"],
        }),
      fields: z
        .enum(["all", "summary"])
        .optional()
        .describe(
          "`summary` for what a list shows: names, categories, standing, `auth_mode`, `connect_method` and logo. Default `all`.",
        ),
      include: includeOf("stats").describe(
        "`stats` adds how many integrations and connections of each provider the environment has, for a key with the scopes `environment:integrations:list` and `environment:connections:list`.",
      ),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .array(z.union([provider, providerSummary]))
          .describe("The providers, by id; with `fields=summary` the short form."),
      }),
    },
    errors: [],
    idempotent: false,
    tagged: true,
  }),
  getProvider: defineRoute({
    method: "GET",
    path: "/providers/{provider}",
    summary: "Get a provider: how it authorizes and which fields it asks for",
    principals: ["environment", "session"],
    scope: "any-key",
    params: z.strictObject({ provider: providerName.describe("Provider to read.") }),
    success: { status: 200, schema: z.strictObject({ data: provider.describe("The provider.") }) },
    errors: ["not_found"],
    idempotent: false,
  }),
  getCatalogue: defineRoute({
    method: "GET",
    path: "/providers.json",
    summary:
      "The catalogue by provider id, for anyone: entries of the installation, none of customers",
    principals: ["public"],
    scope: "public",
    success: { status: 200, schema: z.record(z.string(), provider) },
    errors: [],
    idempotent: false,
    tagged: true,
  }),
  getProviderLogo: defineRoute({
    method: "GET",
    path: "/images/template-logos/{file}",
    summary: "A provider's logo as SVG, or its letters where it has none",
    principals: ["public"],
    scope: "public",
    params: z.strictObject({
      file: z
        .string()
        .max(255)
        .regex(/^[a-zA-Z0-9_-]+\.svg$/, "must be a provider's id and .svg")
        .meta({ description: "Id of the provider and `.svg`.", examples: ["github.svg"] }),
    }),
    query: z.strictObject({
      name: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .describe(
          "Name whose letters are drawn where the provider has no icon, such as an integration's.",
        ),
    }),
    success: { status: 200 },
    errors: [],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
} as const;
