import { countWaiting, type Rank, type RateLimit, ranks } from "../../data/observe/rate-limits.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatNumber, formatSpan, plainText, shortenId } from "../../parts/formats.ts";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import type { Texts } from "../../texts/english.ts";

type RateLimitTexts = Texts["rateLimits"];

export function RateLimitBadge({ limit, texts }: { limit: RateLimit; texts: RateLimitTexts }) {
  if (limit.is_used_up) return <Badge tone="bad">{texts.states.usedUp}</Badge>;
  if (countWaiting(limit) > 0) return <Badge tone="warn">{texts.states.waiting}</Badge>;
  return <Badge tone="good">{texts.states.free}</Badge>;
}

/** Whose limit it is, in short. */
export function ownerOf(limit: RateLimit, texts: RateLimitTexts): string {
  const { provider_config_key: integration, connection_id: id } = limit;
  return plainText(
    id === null ? texts.app(integration) : `${integration} / ${shortenId(id, 24)}`,
    80,
  );
}

function waitText({ waiting }: RateLimit, rank: Rank, texts: RateLimitTexts): string {
  const { calls, longest_wait_ms: longest } = waiting[rank];
  return calls === 0 ? texts.nobody : texts.waits(formatNumber(calls), formatSpan(longest));
}

export function numberText(value: number | null, texts: RateLimitTexts): string {
  return value === null ? texts.unknown : formatNumber(value);
}

export function rateLimitColumns(texts: RateLimitTexts): readonly Column<RateLimit>[] {
  return [
    {
      id: "of",
      header: texts.of,
      width: "minmax(170px, 1.4fr)",
      cell: (limit) => ownerOf(limit, texts),
    },
    {
      id: "state",
      header: texts.state,
      width: "124px",
      cell: (limit) => <RateLimitBadge limit={limit} texts={texts} />,
    },
    {
      id: "remaining",
      header: texts.remaining,
      width: "90px",
      isNumber: true,
      cell: ({ remaining }) => numberText(remaining, texts),
    },
    {
      id: "limit",
      header: texts.limit,
      width: "132px",
      isNumber: true,
      cell: ({ limit }) => numberText(limit, texts),
    },
    {
      id: "resets",
      header: texts.resets,
      width: "148px",
      cell: ({ resets_at: at }) =>
        at === null ? <span className="soft">{texts.unknown}</span> : <Time at={at} isShort />,
    },
    ...ranks.map((rank) => ({
      id: rank,
      header: texts.ranks[rank],
      width: "minmax(104px, 1fr)",
      cell: (limit: RateLimit) => waitText(limit, rank, texts),
    })),
  ];
}
