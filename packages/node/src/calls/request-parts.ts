import type { SyncReference, SyncTarget, SyncTrigger } from "../requests.ts";

/** A value as one segment of a path. */
export function encode(segment: string): string {
  return encodeURIComponent(segment);
}

export function headersOf(providerConfigKey: string, connectionId: string): Record<string, string> {
  return { "provider-config-key": providerConfigKey, "connection-id": connectionId };
}

/** `name` or `name::variant`. */
export function nameOf(sync: SyncReference): string {
  return typeof sync === "string" ? sync : `${sync.name}::${sync.variant}`;
}

export function syncBody({ providerConfigKey, syncs = [], connectionId }: SyncTrigger) {
  return { provider_config_key: providerConfigKey, syncs, connection_id: connectionId };
}

export function integrationPath(uniqueKey: string): string {
  return `/integrations/${encode(uniqueKey)}`;
}

export function variantCall({ name, variant, ...body }: SyncTarget) {
  return { path: `/sync/${encode(name)}/variant/${encode(variant)}`, body };
}
