import type { integrationRoutes, RouteOutput } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import { type Fields, presentClientFields, presentFields } from "#providers";
import { type Integration, providerOf } from "../integration.ts";
import { getIntegrationSecrets } from "./get-integration-credentials.ts";

type Presented = NonNullable<
  RouteOutput<typeof integrationRoutes.getIntegration>["data"]["fields"]
>;
type Values = Readonly<Record<string, unknown>>;

const WEBHOOK_SECRET: Fields = {
  webhook_secret: {
    type: "string",
    title: "Webhook secret",
    description:
      "Secret with which the provider signs its webhooks; webhooks without that signature are refused.",
    secret: true,
    optional: true,
    order: 1,
  },
};

/** What an integration is set up with: values that anyone may see, and which secrets are set. */
export async function presentSetFields(
  ctx: EnvironmentContext,
  integration: Integration,
): Promise<Presented> {
  const provider = providerOf(integration);
  const { credentials, config, webhookSecret } = await getIntegrationSecrets(ctx, integration);
  const client = presentClientFields(provider) ?? {};
  const own = Object.hasOwn(client, "webhook_secret") ? {} : WEBHOOK_SECRET;
  const settings = { ...integration.integrationConfig, ...config };
  return {
    credentials: withValues(client, { ...credentials }),
    integration_config: withValues(presentFields(provider.integration_config), settings),
    custom: withValues(own, { webhook_secret: webhookSecret }),
  };
}

function withValues(fields: Fields, values: Values): Presented["credentials"] {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const value = values[name];
      const isSet = value !== undefined && value !== "";
      const shown = isSet && field.secret !== true ? { value: String(value) } : {};
      return [name, { ...field, is_set: isSet, ...shown }];
    }),
  );
}
