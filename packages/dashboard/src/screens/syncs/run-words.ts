import type { Operation } from "../../data/operations.ts";
import { type ListedSync, referenceOf, type SyncRun } from "../../data/syncs.ts";
import type { Tone } from "../../parts/badge.tsx";
import type { Target } from "../../parts/go.tsx";
import { homeOf } from "../../start/environment-address.ts";

const tones: Readonly<Record<SyncRun["state"], Tone>> = {
  waiting: "idle",
  running: "run",
  success: "good",
  failed: "bad",
  cancelled: "idle",
};

export function toneOfRun(state: SyncRun["state"]): Tone {
  return tones[state];
}

export function runPageOf(environment: string, syncId: string, runId: string): Target {
  return { to: `${homeOf(environment)}/syncs/${syncId}/runs/${runId}` };
}

/** The sync that an operation ran; undefined where a part of its name is not known. */
export function syncOf({ integration, connection, function: called, meta }: Operation) {
  if (integration === null || connection === null || called === null) return undefined;
  const { variant } = Object(meta);
  return {
    provider_config_key: integration.name,
    connection_id: connection.name,
    name: called.name,
    variant: typeof variant === "string" ? variant : "base",
  };
}

/** What routes take that name one sync of a connection. */
export function bodyOf(
  sync: Pick<ListedSync, "name" | "variant" | "provider_config_key" | "connection_id">,
) {
  return {
    provider_config_key: sync.provider_config_key,
    connection_id: sync.connection_id,
    syncs: [referenceOf(sync)],
  };
}
