import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type ModelName, recordQuery, type SyncedRecord } from "../../data/records/records.ts";
import { plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { JsonView } from "../../parts/panels/json-view.tsx";
import { QueryDrawer } from "../../parts/panels/query-drawer.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { RecordChanges } from "./record-changes.tsx";
import { RecordBadge } from "./record-columns.tsx";
import { contentOf } from "./record-words.ts";

/** One record next to the list: what the server knows of it, and its content. */
export function RecordDrawer({
  id,
  model,
  known,
  asOf,
  ...open
}: {
  id: string;
  model: ModelName;
  known: SyncedRecord | undefined;
  asOf: string | undefined;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const { records: texts } = useTexts();
  const { name: environment } = useEnvironment();
  return (
    <QueryDrawer
      query={useQuery(recordQuery(environment, model, { id, known, asOf }))}
      title={() => plainText(id, 60)}
      {...open}
    >
      {(record) =>
        record === null ? (
          <Empty title={texts.notThen} />
        ) : (
          <>
            <p className="padded">
              <RecordBadge record={record} texts={texts} />
            </p>
            {record._svc_metadata.damaged === true && <p className="banner bad">{texts.damaged}</p>}
            <About record={record} />
            <Card title={texts.content}>
              <Content record={record} />
            </Card>
            <RecordChanges record={record} model={model} />
          </>
        )
      }
    </QueryDrawer>
  );
}

/** The same value until the record is another one: a large one takes a while to lay out. */
function Content({ record }: { record: SyncedRecord }) {
  const { records: texts } = useTexts();
  const content = useMemo(() => contentOf(record), [record]);
  return <JsonView label={texts.content} value={content} />;
}

function About({ record }: { record: SyncedRecord }) {
  const { records: texts } = useTexts();
  const {
    first_seen_at: firstSeen,
    last_modified_at: changed,
    deleted_at: deletedAt,
    pruned_at: prunedAt,
  } = record._svc_metadata;
  return (
    <Card title={texts.about}>
      <Facts
        rows={[
          [texts.id, plainText(record.id, 256)],
          [texts.firstSeen, <Time key="first" at={firstSeen} />],
          [texts.changed, <Time key="changed" at={changed} />],
          [texts.deletedAt, deletedAt && <Time at={deletedAt} />],
          [texts.prunedAt, prunedAt && <Time at={prunedAt} />],
        ]}
      />
    </Card>
  );
}
