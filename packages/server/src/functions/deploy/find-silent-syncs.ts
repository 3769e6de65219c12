import { findProviderOf, type Integration } from "#integrations";
import type { UploadedFunction } from "./read-upload.ts";

/**
 * Warnings, one for each uploaded sync whose `onWebhook` can never run: it subscribes to types by name, and webhooks
 * of its integration have none.
 */
export function findSilentSyncs(
  uploaded: readonly UploadedFunction[],
  integrations: ReadonlyMap<string, Integration>,
): string[] {
  return uploaded.flatMap((fn) => {
    const integration = integrations.get(fn.integrationKey);
    if (fn.type !== "sync" || integration === undefined || hasTypes(integration)) return [];
    const { webhookSubscriptions: wanted } = fn.definition;
    if (wanted.length === 0 || wanted.includes("*")) return [];
    return [
      `onWebhook of the sync "${fn.name}" of integration "${fn.integrationKey}" never runs: it subscribes to ${listed(wanted)}, ` +
        `and webhooks of ${integration.provider} have no known type. Subscribe to "*", or name where the type is in the integration's settings.webhooks.type.`,
    ];
  });
}

/** Whether anything says where webhooks of the integration name their type. */
function hasTypes(integration: Integration): boolean {
  const webhooks = findProviderOf(integration)?.webhooks;
  return (
    webhooks?.router !== undefined ||
    webhooks?.hmac?.type !== undefined ||
    integration.settings.webhooks?.type !== undefined
  );
}

const NAMED = 3;

function listed(types: readonly string[]): string {
  const named = types.slice(0, NAMED).map((type) => `"${type.slice(0, 100)}"`);
  return named.join(", ") + (types.length > NAMED ? ` and ${types.length - NAMED} more` : "");
}
