import type { ConnectionProperty } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { findProviderOf, type Integration } from "#integrations";
import type { ProviderRouting, Routing, WebhookRules } from "./routing.ts";

/** What the provider's entry and the integration ask for. */
export function findRouting(
  { settings: { compatPrefix } }: Pick<EnvironmentContext, "settings">,
  integration: Integration,
): Routing {
  const { webhooks } = integration.settings;
  return {
    ...findProviderRouting(integration),
    ...(webhooks !== undefined && { rules: toRules(webhooks) }),
    ...(compatPrefix !== undefined && { word: compatPrefix }),
  };
}

function findProviderRouting(integration: Integration): ProviderRouting {
  const webhooks = findProviderOf(integration)?.webhooks;
  if (webhooks?.hmac !== undefined) return { kind: "hmac", hmac: webhooks.hmac };
  if (webhooks?.router !== undefined) return { kind: "named", name: webhooks.router };
  return { kind: "plain" };
}

function toRules({
  match,
  ...places
}: NonNullable<Integration["settings"]["webhooks"]>): WebhookRules {
  return {
    ...places,
    match: match?.map(({ value, property }) => ({ value, property: asProperty(property) })),
  };
}

// The API takes no other form of it.
function asProperty(property: string): ConnectionProperty {
  return property as ConnectionProperty;
}
