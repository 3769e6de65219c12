import { useMemo } from "react";
import { type Toolset, toolsetsQuery } from "../../data/agents/toolsets.ts";
import { formatShortDay, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { IntegrationFilter, WordSearch } from "../../parts/list/word-filters.tsx";
import { cliOf, curlOf, nodeCall, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import type { Column } from "../../parts/table/column.ts";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { apiAddress } from "../../start/base-path.ts";
import { toolsetTexts } from "../../texts/screens/toolsets.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { toolsetPage, toolsetsPath, WRITE } from "./toolset-words.ts";

/** Which tools agents may have, by name. */
export function ToolsetsScreen() {
  const texts = useTextsOf(toolsetTexts);
  const { tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { q: search, integration } = useAddress().words;
  const filter = { search, integration };
  return (
    <ListScreen
      id="toolsets"
      title={texts.title}
      columns={useMemo(() => columnsOf(texts), [texts])}
      list={usePagedRows(toolsetsQuery(environment, filter))}
      keyOf={({ name }) => name}
      pageOf={({ name }) => toolsetPage(environment, name)}
      filters={
        <>
          <WordSearch label={texts.search} />
          <IntegrationFilter />
        </>
      }
      narrowing={{ q: tables.search, integration: tables.integration }}
      examples={[
        curlOf("listToolsets", environment, { query: Object(filter) }),
        nodeOf(environment, `toolsets.list(${JSON.stringify(filter)})`),
        cliOf(
          [
            "toolsets list",
            ...(search === undefined ? [] : [`--search ${quote(search)}`]),
            ...(integration === undefined ? [] : [`--integration ${quote(integration)}`]),
            `--environment ${quote(environment)}`,
          ].join(" "),
        ),
      ]}
      actions={<NewLink />}
      empty={{
        title: texts.emptyTitle,
        text: texts.emptyText,
        code: [
          curlOf("putToolset", environment, { params: { name: "support" }, body: firstToolset }),
          nodeCall(environment, "toolsets.put", "support", firstToolset),
          cliOf(`toolsets save support --tool github --environment ${quote(environment)}`),
        ],
        action: (
          <div className="row">
            <NewLink />
            <a
              className="button"
              href={`${apiAddress}/docs/agents`}
              target="_blank"
              rel="noreferrer"
            >
              {texts.emptyDocs}
            </a>
          </div>
        ),
      }}
    />
  );
}

const firstToolset = { tools: [{ integration: "github" }] };

/** Leads to the form; who may not write has nothing to do there. */
function NewLink() {
  const texts = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  if (!useMay(WRITE)) return null;
  return (
    <Go className="button primary" target={{ to: `${toolsetsPath(environment)}/new` }}>
      {texts.add}
    </Go>
  );
}

function columnsOf(texts: (typeof toolsetTexts)["english"]): readonly Column<Toolset>[] {
  return [
    {
      id: "name",
      header: texts.name,
      width: "minmax(190px, 1.6fr)",
      cell: ({ name }) => <span className="mono">{name}</span>,
    },
    {
      id: "description",
      header: texts.description,
      width: "minmax(120px, 1.4fr)",
      cell: ({ description }) => plainText(description, 100),
    },
    {
      id: "integrations",
      header: texts.integrations,
      width: "minmax(120px, 1.2fr)",
      cell: (toolset) => plainText(integrationsOf(toolset).join(", "), 100),
    },
    { id: "mode", header: texts.mode, width: "92px", cell: ({ mode }) => texts.modes[mode] },
    {
      id: "policy",
      header: texts.policy,
      width: "92px",
      cell: ({ policy }) => texts.presets[policy?.preset ?? "none"],
    },
    {
      id: "version",
      header: texts.version,
      width: "76px",
      isNumber: true,
      cell: ({ version }) => version,
    },
    {
      id: "changed",
      header: texts.changed,
      width: "116px",
      cell: ({ created_at: at }) => <time dateTime={at}>{formatShortDay(at)}</time>,
    },
  ];
}

/** Keys of the integrations that it names, each once. */
export function integrationsOf({ tools, api = [] }: Pick<Toolset, "tools" | "api">): string[] {
  return [...new Set([...tools, ...api].map(({ integration }) => integration))];
}
