import type { Delivery } from "../../../data/environment/webhooks.ts";
import { Badge } from "../../../parts/badge.tsx";
import { formatNumber, plainText, shortenId } from "../../../parts/formats.ts";
import type { Column } from "../../../parts/table/column.ts";
import { Time } from "../../../parts/time.tsx";
import type { Texts } from "../../../texts/english.ts";
import { deliveryTones, outcomeOf } from "../webhook-words.ts";

/** Columns of the list of deliveries. */
export function deliveryColumns(texts: Texts["webhooks"]): readonly Column<Delivery>[] {
  return [
    {
      id: "time",
      header: texts.time,
      width: "136px",
      cell: (row) => <Time at={row.created_at} isShort />,
    },
    {
      id: "state",
      header: texts.state,
      width: "124px",
      cell: ({ state }) => <Badge tone={deliveryTones[state]}>{texts.states[state]}</Badge>,
    },
    {
      id: "type",
      header: texts.type,
      width: "minmax(98px, 0.8fr)",
      cell: ({ type }) => texts.types[type],
    },
    {
      id: "receiver",
      header: texts.receiver,
      width: "minmax(150px, 2fr)",
      cell: ({ url }) => <span title={url}>{plainText(url, 80)}</span>,
    },
    {
      id: "connection",
      header: texts.connection,
      width: "minmax(140px, 1fr)",
      cell: ({ connection_id: id }) => (
        <span className="mono" title={id ?? undefined}>
          {plainText(shortenId(id ?? "", 16))}
        </span>
      ),
    },
    {
      id: "attempts",
      header: texts.attempts,
      width: "92px",
      isNumber: true,
      cell: ({ attempt_count: count }) => formatNumber(count),
    },
    {
      id: "outcome",
      header: texts.outcome,
      width: "minmax(110px, 1fr)",
      cell: (row) => plainText(outcomeOf(row)),
    },
    {
      id: "next",
      header: texts.next,
      width: "136px",
      cell: ({ next_attempt_at: at }) => at !== null && <Time at={at} isShort />,
    },
  ];
}
