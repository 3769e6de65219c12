import { useQuery } from "@tanstack/react-query";
import { type Receiver, receiversQuery } from "../../data/environment/webhooks.ts";
import {
  type MetricRange,
  type RecordCounts,
  recordCountsQuery,
  recordsBeforeQuery,
} from "../../data/observe/metrics.ts";
import { changesOfSteps } from "../../data/observe/operation-points.ts";
import { modelsQuery, type RecordModel } from "../../data/records/records.ts";
import { Sparkline } from "../../parts/charts/sparkline.tsx";
import { formatNumber, formatSpan } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Change } from "./change.tsx";
import { Figure } from "./figure.tsx";

/** How many records there are, how many changed, and when one did last; deletes that a guard refused. */
export function RecordsFigure({ range }: { range: MetricRange }) {
  const { home: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const base = homeOf(environment);
  const list = usePagedRows(modelsQuery(environment, noFilter));
  const more = list.hasMore ? "+" : "";
  const refused = sumOf(list.rows, ({ refused_deletes: count }) => count ?? 0);
  const last = list.rows
    .map(({ last_modified_at: at }) => at)
    .toSorted()
    .at(-1);
  if (list.isError) return <FailedFigure title={texts.records} list={list} />;
  return (
    <Figure title={texts.records} target={{ to: `${base}/records` }} isReady={!list.isLoading}>
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
      {list.rows.length > 0 && <RecordChanges range={range} />}
      {refused > 0 && (
        <Go target={{ to: `${base}/syncs` }}>{texts.refusedDeletes(formatNumber(refused))}</Go>
      )}
    </Figure>
  );
}

/** A figure that could not be read: no number is better than a wrong one. */
export function FailedFigure({
  title,
  list,
}: {
  title: string;
  list: { readonly error: unknown; readonly refetch: () => unknown };
}) {
  return (
    <Figure title={title} isReady>
      <FaultBanner error={list.error} onRetry={() => void list.refetch()} />
    </Figure>
  );
}

/** Changes within the range, with their course. */
function RecordChanges({ range }: { range: MetricRange }) {
  const { home: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const enabled = useMay("environment:logs:read");
  const query = useQuery({ ...recordCountsQuery(environment, range), enabled });
  const { data: before } = useQuery({ ...recordsBeforeQuery(environment, range), enabled });
  const { data, isLoadingError, error, refetch } = query;
  if (isLoadingError) return <FaultBanner error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  const { added, updated, deleted } = data.total;
  if (added + updated + deleted === 0) return <span className="soft">{texts.noChange}</span>;
  const values = changesOfSteps(data);
  const of = (total: RecordCounts["total"]) => total.added + total.updated + total.deleted;
  return (
    <>
      <span>
        {texts.recordChanges(formatNumber(added), formatNumber(updated), formatNumber(deleted))}
      </span>
      <Change
        range={range}
        now={of(data.total)}
        before={before && of(before.total)}
        words={texts.change}
      />
      <Sparkline values={values} label={texts.sparkRecords(formatNumber(Math.max(0, ...values)))} />
    </>
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
  const target = { to: `${homeOf(environment)}/webhooks/out` };
  const sent = sumOf(receivers, ({ recent }) => recent.sent);
  const delivered = sumOf(receivers, ({ recent }) => recent.delivered);
  const held = sumOf(receivers, ({ held: count }) => count);
  const oldest = receivers.flatMap(({ waiting_since: at }) => at ?? []).toSorted()[0];
  const isMore = receivers.some(({ held: count }) => count >= MOST_HELD);
  const failing = receivers.filter(({ state }) => state !== "ok");
  const since = failing.flatMap(({ failing_since: at }) => at ?? []).toSorted()[0];
  if (query.isError) return <FailedFigure title={texts.webhooks} list={query} />;
  return (
    <Figure title={texts.webhooks} target={target} isReady={!query.isLoading}>
      <strong>
        {sent === 0
          ? texts.noWebhooks
          : texts.deliveredOf(formatNumber(delivered), formatNumber(sent))}
      </strong>
      {held > 0 && (
        <span>
          <Go target={{ ...target, search: { state: "waiting" } }}>
            {texts.waiting(`${formatNumber(held)}${isMore ? "+" : ""}`)}
          </Go>
          {oldest !== undefined && `, ${texts.oldest(formatSpan(ageOf(oldest)))}`}
        </span>
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

/** Of a clock that may be ahead of this one. */
function ageOf(at: string): number {
  return Math.max(0, Date.now() - Date.parse(at));
}

function sumOf<Row extends RecordModel | Receiver>(
  rows: readonly Row[],
  of: (row: Row) => number,
): number {
  return rows.reduce((sum, row) => sum + of(row), 0);
}
