import type { Operation } from "../../data/operations.ts";
import { Badge } from "../../parts/badge.tsx";
import { plainText, shortenId } from "../../parts/formats.ts";
import type { Column } from "../../parts/table/column.ts";
import { Span, Time } from "../../parts/time.tsx";
import type { Texts } from "../../texts/english.ts";
import { nameOf, toneOf } from "./operation-words.ts";

/** Columns of every list of operations. */
export function operationColumns(texts: Texts["operations"]): readonly Column<Operation>[] {
  return [
    { id: "time", header: texts.time, width: "172px", cell: (row) => <Time at={row.created_at} /> },
    {
      id: "state",
      header: texts.state,
      width: "112px",
      cell: ({ state }) => <Badge tone={toneOf(state)}>{texts.states[state]}</Badge>,
    },
    {
      id: "operation",
      header: texts.operation,
      width: "minmax(180px, 2fr)",
      cell: (row) => <span className="mono">{plainText(nameOf(row))}</span>,
    },
    {
      id: "integration",
      header: texts.integration,
      width: "minmax(110px, 1fr)",
      cell: ({ integration }) => plainText(integration?.name ?? ""),
    },
    {
      id: "connection",
      header: texts.connection,
      width: "minmax(160px, 1fr)",
      cell: ({ connection }) => (
        <span className="mono" title={connection?.name}>
          {plainText(shortenId(connection?.name ?? "", 18))}
        </span>
      ),
    },
    {
      id: "took",
      header: texts.took,
      width: "100px",
      isNumber: true,
      cell: ({ duration_ms: took }) => <Span milliseconds={took} />,
    },
  ];
}
