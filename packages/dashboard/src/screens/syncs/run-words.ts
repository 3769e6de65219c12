import type { ListedSync, SyncRun } from "../../data/syncs.ts";
import type { Tone } from "../../parts/badge.tsx";
import type { Target } from "../../parts/go.tsx";

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
  return { to: `/${encodeURIComponent(environment)}/syncs/${syncId}/runs/${runId}` };
}

/** What routes take that name one sync. */
export function bodyOf({ name, variant, ...sync }: ListedSync) {
  return {
    provider_config_key: sync.provider_config_key,
    connection_id: sync.connection_id,
    syncs: [variant === "base" ? name : { name, variant }],
  };
}
