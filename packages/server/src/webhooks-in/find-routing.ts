import { findProviderOf, type Integration } from "#integrations";
import type { Routing } from "./routing.ts";

/** What the provider's entry asks for. */
export function findRouting(integration: Integration): Routing {
  const webhooks = findProviderOf(integration)?.webhooks;
  if (webhooks?.hmac !== undefined) return { kind: "hmac", hmac: webhooks.hmac };
  if (webhooks?.router !== undefined) return { kind: "named", name: webhooks.router };
  return { kind: "plain" };
}
