import { useMutation } from "@tanstack/react-query";
import { useMemo } from "react";
import { Button } from "react-aria-components/Button";
import { downloadAnswer, saveFile } from "../../data/download.ts";
import {
  callOfModel,
  type ModelName,
  type RecordFilter,
  recordsQuery,
  type SyncedRecord,
} from "../../data/records/records.ts";
import { MomentFilter, momentText } from "../../parts/filters/moment-filter.tsx";
import { plainText } from "../../parts/formats.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { choicesOf, WordSearch, WordsFilter } from "../../parts/list/word-filters.tsx";
import { curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { listOf, useAddress, usePathValues } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { PruneButton } from "./prune-button.tsx";
import { recordColumns } from "./record-columns.tsx";
import { RecordDrawer } from "./record-drawer.tsx";
import { fieldsOf, nameOf } from "./record-words.ts";

/** Fields that are shown until somebody chooses. */
const FIRST_FIELDS = 5;

/** Records of one model of a connection, the newest change first. */
export function RecordsScreen() {
  const { records: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const name = useModelName();
  const { words, change } = useAddress();
  const { filter, id: ids, fields: named, asOf } = words;
  const narrowed = { filter, ids, as_of: asOf };
  const list = usePagedRows(recordsQuery(environment, name, narrowed));
  const all = useMemo(() => fieldsOf(list.rows), [list.rows]);
  const columns = useMemo(() => {
    const chosen = named === undefined ? all.slice(0, FIRST_FIELDS) : listOf(named);
    return recordColumns(texts, chosen);
  }, [texts, all, named]);
  const save = useExport(name, narrowed);
  const { headers, query } = callOfModel(name);
  const { integration: providerConfigKey, connection: connectionId, model, variant } = name;
  const kinds = filter === undefined ? {} : { filter: listOf(filter) };
  const request = { providerConfigKey, connectionId, model, variant, asOf, ids, ...kinds };
  return (
    <ListScreen
      id="records"
      title={texts.recordTitle(nameOf(name), connectionId)}
      parent={{
        text: texts.title,
        target: { to: `${homeOf(environment)}/records` },
      }}
      columns={columns}
      list={list}
      keyOf={keyOf}
      panel={({ id, row, ...open }) => (
        <RecordDrawer key={id} id={id} model={name} known={row} asOf={asOf} {...open} />
      )}
      above={
        <>
          {save.isError && <FaultBanner error={save.error} />}
          {asOf !== undefined && <PastBanner asOf={asOf} />}
        </>
      }
      filters={
        <>
          <WordSearch word="id" label={texts.idSearch} />
          <WordsFilter word="filter" label={texts.action} choices={choicesOf(texts.filters)} />
          <WordsFilter
            word="fields"
            label={texts.fields}
            choices={all.map((field) => ({ id: field, text: field }))}
          />
          <MomentFilter
            label={texts.asOf}
            text={texts.asOfText}
            chosen={asOf}
            onChange={(next) => change({ asOf: next })}
          />
        </>
      }
      values={{ filter: texts.filters }}
      narrowing={{ filter: texts.action, id: texts.idSearch }}
      bulk={(chosen) =>
        chosen.kind === "rows" && (
          <Button className="button small" onPress={() => saveRecords(name, chosen.rows)}>
            {texts.exportChosen}
          </Button>
        )
      }
      examples={[
        curlOf("listRecords", environment, { headers, query: Object({ ...query, ...narrowed }) }),
        nodeOf(environment, `records.list(${JSON.stringify(request)})`),
      ]}
      actions={
        <>
          <ScopedButton
            scope="environment:records:read"
            isPending={save.isPending}
            onPress={() => save.mutate()}
          >
            {filter === undefined && ids === undefined ? texts.export : texts.exportMatching}
          </ScopedButton>
          <PruneButton name={name} />
          <span className="hidden" role="status">
            {save.isSuccess ? texts.exported : ""}
          </span>
        </>
      }
      empty={{ title: texts.noRecords, text: texts.noRecordsText }}
    />
  );
}

/** Says that what is shown is not what is there now. */
function PastBanner({ asOf }: { asOf: string }) {
  const { records: texts } = useTexts();
  const { change } = useAddress();
  return (
    <section className="banner warn">
      <div>
        <strong>{texts.past(plainText(momentText(asOf), 60))}</strong>
      </div>
      <Button className="button" onPress={() => change({ asOf: undefined })}>
        {texts.now}
      </Button>
    </section>
  );
}

function keyOf({ id }: SyncedRecord): string {
  return id;
}

function useModelName(): ModelName {
  const { integration = "", connection = "", model = "" } = usePathValues();
  const { variant = "base" } = useAddress().words;
  return { integration, connection, model, variant };
}

/** All records of the model that the filter lets through in one file, a line each. */
function useExport(name: ModelName, filter: RecordFilter) {
  const { name: environment } = useEnvironment();
  return useMutation({
    mutationFn: async () => {
      const { query, headers } = callOfModel(name);
      await downloadAnswer(
        "listRecords",
        {
          environment,
          query: Object({ ...query, ...filter }),
          headers: { ...headers, accept: "application/x-ndjson" },
        },
        {
          fileName: fileNameOf(name),
          lastLine: '{"_svc_end"',
        },
      );
    },
  });
}

/** The chosen records as the list has them, a line each. */
function saveRecords(name: ModelName, records: readonly SyncedRecord[]): void {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  saveFile(new Blob(lines, { type: "application/x-ndjson" }), fileNameOf(name));
}

function fileNameOf(name: ModelName): string {
  return `${nameOf(name).replaceAll(/[^\w.-]+/g, "_")}.ndjson`;
}
