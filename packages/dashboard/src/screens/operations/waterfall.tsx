import { Button } from "react-aria-components/Button";
import { messagesQuery, type Operation } from "../../data/operations.ts";
import { formatNumber, formatSpan, plainText } from "../../parts/formats.ts";
import { usePagedRows } from "../../parts/list/rows.ts";
import { Card } from "../../parts/panels/card.tsx";
import { Bars } from "../../parts/waterfall/bars.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { layOutCalls, type OperationBar } from "./waterfall-bars.ts";

/** The operation's calls on a time line, from its messages as far as they were read. */
export function Waterfall({ operation }: { operation: Operation }) {
  const { operations: texts, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const list = usePagedRows(messagesQuery(environment, operation.id, { order: "asc" }));
  const { bars, milliseconds } = layOutCalls(operation, list.rows);
  const isEmpty = !list.isLoading && !list.isError && bars.length === 0;
  return (
    <Card
      title={texts.waterfall}
      actions={
        <span className="soft">
          {bars.length > 0 && texts.waterfallText(countCalls(bars), formatSpan(milliseconds))}
        </span>
      }
    >
      {list.isLoading && <p className="soft padded">{shell.loading}</p>}
      {isEmpty && !list.hasMore && <p className="soft padded">{texts.noCalls}</p>}
      {bars.length > 0 && (
        <Bars label={texts.waterfall} bars={bars} nameOf={(bar) => <NameOf bar={bar} />} />
      )}
      {list.hasMore && (
        <div className="row padded">
          <span className="soft" role="status">
            {texts.callsOf(formatNumber(list.rows.length))}
          </span>
          <Button className="button small" isPending={list.isFetching} onPress={list.readMore}>
            {texts.moreCalls}
          </Button>
        </div>
      )}
    </Card>
  );
}

function NameOf({ bar }: { bar: OperationBar }) {
  const { operations: texts } = useTexts();
  return bar.part === undefined ? (
    <span className="mono cut" title={titleOf(bar, texts)}>
      {plainText(bar.name, 120)}
    </span>
  ) : (
    <span className="cut">{partOf(bar, bar.part, texts)}</span>
  );
}

function partOf(
  { saves }: OperationBar,
  part: NonNullable<OperationBar["part"]>,
  texts: Texts["operations"],
) {
  return saves === undefined ? texts.timing[part] : texts.savesOfRecords(saves);
}

function countCalls(bars: readonly OperationBar[]): number {
  return bars.filter(({ kind }) => kind === "call" || kind === "failed").length;
}

/** The whole name of a call, and where its time went. */
function titleOf({ name, timing }: OperationBar, texts: Texts["operations"]): string {
  const parts =
    timing === undefined
      ? []
      : ([
          ["credentials", timing.credentials_ms],
          ["wait", timing.wait_ms],
          ["upstream", timing.upstream_ms],
          ["other", timing.other_ms],
        ] as const);
  const spent = parts
    .filter(([, milliseconds]) => milliseconds > 0)
    .map(([part, milliseconds]) => `${texts.timing[part]}: ${formatSpan(milliseconds)}`);
  return [plainText(name, 400), ...spent].join("\n");
}
