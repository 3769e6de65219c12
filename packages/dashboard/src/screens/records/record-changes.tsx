import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import {
  historyQuery,
  type ModelName,
  type SyncedRecord,
  versionsQuery,
} from "../../data/records/records.ts";
import { DiffView } from "../../parts/code/diff-view.tsx";
import { formatMoment, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { RecordBadge } from "./record-columns.tsx";
import { contentOf } from "./record-words.ts";

/** How a record came to be what it is, as far back as the history of its model goes. */
export function RecordChanges({ record, model }: { record: SyncedRecord; model: ModelName }) {
  const { records: texts, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: history, error, isLoading } = useQuery(historyQuery(environment, model.model));
  return (
    <Card title={texts.changes}>
      {error !== null && <FaultBanner error={error} />}
      {isLoading && (
        <p role="status" className="padded">
          {shell.loading}
        </p>
      )}
      {history === null && (
        <p className="soft padded">
          {texts.noHistory(plainText(model.model, 100))}{" "}
          <code>{`PUT /records/history/${plainText(model.model, 100)}`}</code>
        </p>
      )}
      {history && <Versions record={record} model={model} readableFrom={history.readable_from} />}
    </Card>
  );
}

function Versions({
  record,
  model,
  readableFrom,
}: {
  record: SyncedRecord;
  model: ModelName;
  readableFrom: string;
}) {
  const { records: texts, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const list = useInfiniteQuery(versionsQuery(environment, model, { record, readableFrom }));
  const versions = [record, ...(list.data?.pages.flatMap((page) => page.versions) ?? [])];
  const isWhole = list.data !== undefined && !list.hasNextPage;
  return (
    <>
      <ol className="plain-list stack padded" aria-label={texts.changes}>
        {versions.map((version, place) => (
          <li key={version._svc_metadata.last_modified_at}>
            <Version version={version} before={versions[place + 1]} isFirst={isWhole} />
          </li>
        ))}
      </ol>
      {list.isError && <FaultBanner error={list.error} onRetry={() => void list.fetchNextPage()} />}
      {list.isFetching && (
        <p role="status" className="padded">
          {shell.loading}
        </p>
      )}
      {list.hasNextPage && !list.isFetching && (
        <p className="padded">
          <Button className="button" onPress={() => void list.fetchNextPage()}>
            {texts.earlier}
          </Button>
        </p>
      )}
      {isWhole && <p className="soft padded">{texts.readableFrom(formatMoment(readableFrom))}</p>}
    </>
  );
}

/** One version, and what it changed; of the earliest one that is known, what it was. */
function Version({
  version,
  before,
  isFirst,
}: {
  version: SyncedRecord;
  before: SyncedRecord | undefined;
  isFirst: boolean;
}) {
  const { records: texts } = useTexts();
  const label = texts.changeAt(formatMoment(version._svc_metadata.last_modified_at));
  if (before === undefined && !isFirst) return <Head version={version} />;
  return (
    <details>
      <summary>
        <Head version={version} />
      </summary>
      <DiffView
        label={label}
        before={before === undefined ? "" : textOf(before)}
        after={textOf(version)}
      />
    </details>
  );
}

function Head({ version }: { version: SyncedRecord }) {
  const { records: texts } = useTexts();
  return (
    <>
      <RecordBadge record={version} texts={texts} />{" "}
      <Time at={version._svc_metadata.last_modified_at} />
    </>
  );
}

function textOf(version: SyncedRecord): string {
  return JSON.stringify(contentOf(version), null, 2);
}
