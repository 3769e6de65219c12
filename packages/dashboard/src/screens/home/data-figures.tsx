import { useQuery } from "@tanstack/react-query";
import { modelsQuery, type RecordModel } from "../../data/environment/records.ts";
import { type Receiver, receiversQuery } from "../../data/environment/webhooks.ts";
import { formatNumber } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Figure } from "./figure.tsx";

/** How many records there are, and when one changed last; deletes that a guard refused. */
export function RecordsFigure() {
  const { home: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const base = `/${encodeURIComponent(environment)}`;
  const list = usePagedRows(modelsQuery(environment, noFilter));
  const more = list.hasMore ? "+" : "";
  const refused = sumOf(list.rows, ({ refused_deletes: count }) => count ?? 0);
  const last = list.rows
    .map(({ last_modified_at: at }) => at)
    .toSorted()
    .at(-1);
  return (
    <Figure title={texts.records} target={{ to: `${base}/records` }} isReady={!list.isLoading}>
      {list.isError && <FaultBanner error={list.error} onRetry={() => void list.refetch()} />}
      <strong>
        {list.rows.length === 0
          ? texts.noRecords
          : texts.recordCount(
              `${formatNumber(sumOf(list.rows, ({ live_count: count }) => count))}${more}`,
            )}
      </strong>
      {last !== undefined && (
        <span className="soft">
          {texts.lastChange} <Time at={last} />
        </span>
      )}
      {refused > 0 && (
        <Go target={{ to: `${base}/syncs` }}>{texts.refusedDeletes(formatNumber(refused))}</Go>
      )}
    </Figure>
  );
}

const noFilter = { provider_config_key: undefined, connection_id: undefined, model: undefined };

/** From this number on the server counts no further. */
const MOST_HELD = 1000;

/** How many of the latest webhooks were received, how many wait, and endpoints that fail. */
export function WebhooksFigure() {
  const { home: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(receiversQuery(environment));
  const receivers = query.data ?? [];
  const target = { to: `/${encodeURIComponent(environment)}/webhooks/out` };
  const sent = sumOf(receivers, ({ recent }) => recent.sent);
  const delivered = sumOf(receivers, ({ recent }) => recent.delivered);
  const held = sumOf(receivers, ({ held: count }) => count);
  const isMore = receivers.some(({ held: count }) => count >= MOST_HELD);
  const failing = receivers.filter(({ state }) => state !== "ok");
  const since = failing.flatMap(({ failing_since: at }) => at ?? []).toSorted()[0];
  return (
    <Figure title={texts.webhooks} target={target} isReady={!query.isLoading}>
      {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
      <strong>
        {sent === 0
          ? texts.noWebhooks
          : texts.deliveredOf(formatNumber(delivered), formatNumber(sent))}
      </strong>
      {held > 0 && (
        <Go target={{ ...target, search: { state: "waiting" } }}>
          {texts.waiting(`${formatNumber(held)}${isMore ? "+" : ""}`)}
        </Go>
      )}
      {failing.length > 0 && (
        <span className="fault">
          {texts.endpointsFail(formatNumber(failing.length))}
          {since !== undefined && (
            <>
              {` ${texts.since} `}
              <Time at={since} />
            </>
          )}
        </span>
      )}
      {sent > 0 && held === 0 && failing.length === 0 && (
        <span className="soft">{texts.noneWaits}</span>
      )}
    </Figure>
  );
}

function sumOf<Row extends RecordModel | Receiver>(
  rows: readonly Row[],
  of: (row: Row) => number,
): number {
  return rows.reduce((sum, row) => sum + of(row), 0);
}
