import type { BulkWish } from "../../data/bulk.ts";
import type { ListedSync, SyncFilter } from "../../data/syncs.ts";
import { BulkButton } from "../../parts/bulk/bulk-button.tsx";
import type { Chosen } from "../../parts/bulk/selection-bar.tsx";
import { useTexts } from "../../texts/use-texts.ts";

const changes = ["syncs", "sync-runs"];

/** What can be done with many syncs at once. */
export function BulkSyncs({ chosen, filter }: { chosen: Chosen<ListedSync>; filter: SyncFilter }) {
  const { syncs: texts } = useTexts();
  const target = targetOf(chosen, filter);
  const shared = { scope: "environment:syncs:execute", changes } as const;
  return (
    <>
      <BulkButton
        {...shared}
        label={texts.bulkTrigger}
        title={texts.bulkTriggerTitle}
        wish={{ action: "syncs:trigger", ...target }}
        confirm={texts.confirmTrigger}
      />
      <BulkButton
        {...shared}
        label={texts.bulkPause}
        title={texts.bulkPauseTitle}
        wish={{ action: "syncs:pause", ...target }}
        confirm={texts.confirmPause}
      >
        <p>{texts.bulkPauseText}</p>
      </BulkButton>
      <BulkButton
        {...shared}
        label={texts.bulkStart}
        title={texts.bulkStartTitle}
        wish={{ action: "syncs:start", ...target }}
        confirm={texts.confirmStart}
      />
    </>
  );
}

/** The filter of the list, as jobs take it. */
export function bulkFilterOf({
  state,
  provider_config_key,
  connection_id,
  name: sync,
}: SyncFilter) {
  return { state, provider_config_key, connection_id, sync };
}

/** Rows by their ids; all, by the filter of the list. */
function targetOf(
  chosen: Chosen<ListedSync>,
  filter: SyncFilter,
): Pick<BulkWish, "syncs" | "filter"> {
  return chosen.kind === "all"
    ? { filter: bulkFilterOf(filter) }
    : { syncs: chosen.rows.map(({ id }) => id) };
}
