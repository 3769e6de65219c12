import { useMemo } from "react";
import { modelsQuery } from "../../data/records/records.ts";
import { SingleFilter } from "../../parts/filters/single-filter.tsx";
import { Go } from "../../parts/go.tsx";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { WordSearch } from "../../parts/list/word-filters.tsx";
import { curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { modelColumns } from "./model-columns.tsx";
import { modelKey, modelPage } from "./record-words.ts";

/** Models of all connections, with how many records each has. */
export function ModelsScreen() {
  const { records: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const { integration, connection, model } = words;
  const filter = { provider_config_key: integration, connection_id: connection, model };
  return (
    <ListScreen
      id="record-models"
      title={texts.title}
      columns={useMemo(() => modelColumns(texts), [texts])}
      list={usePagedRows(modelsQuery(environment, filter))}
      keyOf={modelKey}
      pageOf={(row) => modelPage(environment, row)}
      filters={
        <>
          <WordSearch word="model" label={texts.modelSearch} />
          {connection !== undefined && (
            <SingleFilter
              label={texts.ofConnection}
              chosen={connection}
              choices={[{ id: connection, text: connection }]}
              onChange={() => change({ connection: undefined, integration: undefined })}
            />
          )}
        </>
      }
      narrowing={{
        integration: texts.integration,
        connection: texts.ofConnection,
        model: texts.model,
      }}
      examples={[
        curlOf("listRecordModels", environment, { query: Object(filter) }),
        nodeOf(environment, `records.listModels(${JSON.stringify(filter)})`),
      ]}
      empty={{
        title: texts.emptyTitle,
        text: texts.emptyText,
        action: (
          <Go className="button" target={{ to: `${homeOf(environment)}/syncs` }}>
            {texts.toSyncs}
          </Go>
        ),
      }}
    />
  );
}
