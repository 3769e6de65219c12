import { useMemo } from "react";
import { messagesQuery, type Operation, type OperationMessage } from "../../data/operations.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { formatSpan, plainText } from "../../parts/formats.ts";
import { usePagedRows } from "../../parts/list/rows.ts";
import { choicesOf, WordSearch, WordSelect, WordsFilter } from "../../parts/list/word-filters.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { JsonView } from "../../parts/panels/json-view.tsx";
import type { Column } from "../../parts/table/column.ts";
import { DataTable } from "../../parts/table/data-table.tsx";
import { Span } from "../../parts/time.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";

const tones: Readonly<Record<OperationMessage["level"], Tone>> = {
  debug: "idle",
  info: "run",
  warn: "warn",
  error: "bad",
};

/** What an operation has logged; the line that is opened is shown whole below the list. */
export function MessageList({ operation }: { operation: Operation }) {
  const { operations: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { words } = useAddress();
  const { levels, q: search, order = "asc", message: open } = words;
  const filter = { levels, search, order };
  const list = usePagedRows(messagesQuery(environment, operation.id, filter));
  const { rows } = list;
  const columns = useMemo(() => columnsOf(texts, operation), [texts, operation]);
  const opened = rows.find(({ id }) => id === open);
  return (
    <Card title={texts.messages}>
      <div className="filters padded">
        <WordSearch label={texts.messageSearch} />
        <WordsFilter word="levels" label={texts.level} choices={choicesOf(texts.levels)} />
        <WordSelect
          word="order"
          label={texts.order}
          choices={choicesOf(texts.orders)}
          byDefault="asc"
        />
      </div>
      {list.isError && <FaultBanner error={list.error} onRetry={() => void list.refetch()} />}
      <div className={rows.length > 12 ? "inner-table tall" : "inner-table"}>
        <DataTable
          id="messages"
          label={texts.messages}
          columns={columns}
          rows={rows}
          keyOf={keyOf}
          targetOf={({ id }) => ({
            to: ".",
            search: { ...words, message: id === open ? undefined : id },
          })}
          openKey={open}
          isLoading={list.isLoading}
          hasMore={list.hasMore}
          onEnd={list.readMore}
          empty={
            <Empty
              title={
                levels === undefined && search === undefined ? texts.noMessages : tables.noneMatch
              }
            />
          }
        />
      </div>
      {opened !== undefined && <JsonView label={texts.message} value={withoutNulls(opened)} />}
    </Card>
  );
}

function keyOf({ id }: OperationMessage): string {
  return id;
}

function columnsOf(
  texts: Texts["operations"],
  operation: Operation,
): readonly Column<OperationMessage>[] {
  const begin = Date.parse(operation.created_at);
  return [
    {
      id: "at",
      header: texts.at,
      width: "104px",
      cell: ({ created_at: at }) => (
        <time className="mono" dateTime={at} title={at}>
          +{formatSpan(Math.max(Date.parse(at) - begin, 0))}
        </time>
      ),
    },
    {
      id: "level",
      header: texts.level,
      width: "108px",
      cell: ({ level }) => <Badge tone={tones[level]}>{texts.levels[level]}</Badge>,
    },
    {
      id: "message",
      header: texts.message,
      width: "minmax(200px, 1fr)",
      cell: ({ message }) => <span className="mono">{plainText(message)}</span>,
    },
    {
      id: "took",
      header: texts.took,
      width: "80px",
      isNumber: true,
      cell: ({ duration_ms: took }) => <Span milliseconds={took} />,
    },
  ];
}

function withoutNulls(message: OperationMessage): object {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null));
}
