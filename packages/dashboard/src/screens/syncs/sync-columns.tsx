import type { ListedSync, SyncState } from "../../data/syncs.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import {
  formatMoment,
  formatNumber,
  formatSpan,
  plainText,
  shortenId,
} from "../../parts/formats.ts";
import type { Target } from "../../parts/go.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import { homeOf } from "../../start/environment-address.ts";
import type { Texts } from "../../texts/english.ts";
import { RunSquares } from "./run-squares.tsx";

const tones: Readonly<Record<SyncState, Tone>> = {
  ok: "good",
  running: "run",
  failing: "bad",
  paused: "warn",
  disabled: "idle",
};

const MILLISECONDS = 1000;
const LATE_SECONDS = 60;

export function nameOf({ name, variant }: Pick<ListedSync, "name" | "variant">): string {
  return variant === "base" ? name : `${name}::${variant}`;
}

/** Where a sync is looked at: the operations of its function and connection. */
export function operationsOf(environment: string, sync: ListedSync): Target {
  const { name, provider_config_key: integrations, connection_id: connections } = sync;
  return {
    to: `${homeOf(environment)}/operations`,
    search: { types: "sync", integrations, connections, functions: name, range: "7d" },
  };
}

export function SyncBadge({ sync, texts }: { sync: ListedSync; texts: Texts["syncs"] }) {
  const refused = Object.values(sync.refused_deletes).reduce((sum, count) => sum + count, 0);
  if (refused > 0) return <Badge tone="bad">{texts.refused(formatNumber(refused))}</Badge>;
  return <Badge tone={tones[sync.state]}>{texts.states[sync.state]}</Badge>;
}

/** Why a sync is late, in words. */
export function delayText(
  { reason, running, limit, attempts, until }: NonNullable<ListedSync["delay"]>,
  texts: Texts["syncs"],
): string {
  const numbers = [running, limit, attempts].flatMap((number) =>
    number === null ? [] : [formatNumber(number)],
  );
  if (until !== null) return texts.delays.rate_limited(formatMoment(until), "");
  return texts.delays[reason](numbers[0] ?? "", numbers[1] ?? "");
}

interface Changes {
  readonly added: number;
  readonly updated: number;
  readonly deleted: number;
}

/** What a run did to records: `+3 ~7 −0`. */
export function changeText({ added, updated, deleted }: Changes): string {
  return `+${formatNumber(added)} ~${formatNumber(updated)} −${formatNumber(deleted)}`;
}

/** Columns of every list of syncs. */
export function syncColumns(texts: Texts["syncs"]): readonly Column<ListedSync>[] {
  return [
    {
      id: "sync",
      header: texts.sync,
      width: "minmax(100px, 1fr)",
      cell: (sync) => <span className="mono">{plainText(nameOf(sync))}</span>,
    },
    {
      id: "state",
      header: texts.state,
      width: "126px",
      cell: (sync) => <SyncBadge sync={sync} texts={texts} />,
    },
    {
      id: "integration",
      header: texts.integration,
      width: "minmax(96px, 1fr)",
      cell: ({ provider_config_key: key }) => plainText(key),
    },
    {
      id: "connection",
      header: texts.connection,
      width: "minmax(150px, 1fr)",
      cell: ({ connection_id: id }) => (
        <span className="mono" title={id}>
          {plainText(shortenId(id, 18))}
        </span>
      ),
    },
    {
      id: "last",
      header: texts.lastSuccess,
      width: "116px",
      cell: ({ last_success_at: at }) => (at === null ? "" : <Time at={at} isShort />),
    },
    {
      id: "next",
      header: texts.nextRun,
      width: "116px",
      cell: ({ next_run_at: at, lag_seconds: lag }) =>
        lag > LATE_SECONDS
          ? texts.late(formatSpan(lag * MILLISECONDS))
          : at !== null && <Time at={at} isShort />,
    },
    {
      id: "records",
      header: texts.records,
      width: "78px",
      isNumber: true,
      cell: ({ record_count: count }) => (count === undefined ? "" : formatNumber(count)),
    },
    {
      id: "result",
      header: texts.lastResult,
      width: "104px",
      cell: ({ latest_result: result }) => (
        <span className="mono">{result ? changeText(result) : ""}</span>
      ),
    },
    {
      id: "reason",
      header: texts.reason,
      width: "minmax(98px, 2fr)",
      cell: ({ reason, delay }) => {
        if (reason !== null) return plainText(`${reason.type}: ${reason.message}`);
        return delay === null ? "" : delayText(delay, texts);
      },
    },
    {
      id: "frequency",
      header: texts.frequency,
      width: "134px",
      cell: ({ frequency }) => frequency ?? "",
    },
  ];
}

/** Of the list of all: how often a sync runs is in its panel, so that the reason of a failure has room. */
export function listColumns(texts: Texts["syncs"]): readonly Column<ListedSync>[] {
  return syncColumns(texts).filter(({ id }) => id !== "frequency");
}

/** In place of times and reasons: how the latest runs ended. */
export function runColumns(texts: Texts["syncs"]): readonly Column<ListedSync>[] {
  const [sync, state, , connection] = syncColumns(texts);
  return [
    ...[sync, state, connection].filter((column) => column !== undefined),
    {
      id: "runs",
      header: texts.latestRuns,
      width: "minmax(300px, 2fr)",
      cell: (row) => <RunSquares sync={row} />,
    },
  ];
}
