import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { connectionCountsQuery } from "../../data/connections.ts";
import { type Integration, integrationsQuery } from "../../data/integrations.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatNumber, formatShortDay, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { wholeRows } from "../../parts/list/rows.ts";
import { WordSearch } from "../../parts/list/word-filters.tsx";
import { Logo } from "../../parts/logo.tsx";
import { cliOf, curlOf, nodeCall, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import type { Column } from "../../parts/table/column.ts";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** An integration with how many connections it has. */
interface Row extends Integration {
  /** Undefined until they have been counted. */
  readonly connections: number | undefined;
  readonly broken: number;
}

/** Integrations of the environment. */
export function IntegrationsScreen() {
  const { integrations: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { words } = useAddress();
  const query = useQuery(integrationsQuery(environment));
  const { data: counts } = useQuery(connectionCountsQuery(environment));
  const wanted = (words["q"] ?? "").toLowerCase();
  const rows = useMemo<readonly Row[]>(() => {
    const found = (query.data ?? []).filter(({ unique_key: key, display_name: name, provider }) =>
      `${key} ${name} ${provider}`.toLowerCase().includes(wanted),
    );
    return found.map((integration) => {
      const own = counts?.by_integration.find(
        ({ provider_config_key: key }) => key === integration.unique_key,
      );
      const { needs_reauthorization: refused = 0, backoff = 0 } = own?.by_state ?? {};
      return {
        ...integration,
        connections: counts && (own?.total ?? 0),
        broken: refused + backoff,
      };
    });
  }, [query.data, counts, wanted]);
  const addButton = (
    <Go className="button primary" target={{ to: `${homeOf(environment)}/catalogue` }}>
      {texts.add}
    </Go>
  );
  return (
    <ListScreen
      id="integrations"
      title={texts.title}
      columns={useMemo(() => columnsOf(texts), [texts])}
      list={wholeRows(query, rows)}
      keyOf={keyOf}
      pageOf={({ unique_key: key }) => ({
        to: `${homeOf(environment)}/integrations/${encodeURIComponent(key)}`,
      })}
      filters={<WordSearch isInstant label={texts.searchLabel} />}
      narrowing={{ q: tables.search }}
      total={query.data?.length}
      examples={[
        curlOf("listIntegrations", environment),
        nodeOf(environment, "integrations.list()"),
        cliOf(`integrations list --environment ${quote(environment)}`),
      ]}
      actions={addButton}
      empty={{
        title: texts.emptyTitle,
        text: texts.emptyText,
        action: addButton,
        code: [
          curlOf("createIntegration", environment, { body: first }),
          nodeCall(environment, "integrations.create", first),
          cliOf(`integrations create github --environment ${quote(environment)}`),
        ],
      }}
    />
  );
}

const first = { provider: "github", unique_key: "github" };

function keyOf({ unique_key: key }: Row): string {
  return key;
}

function columnsOf(texts: Texts["integrations"]): readonly Column<Row>[] {
  return [
    {
      id: "name",
      header: texts.name,
      width: "minmax(180px, 1.4fr)",
      cell: ({ display_name: name, logo, deleting_since: deleting }) => (
        <span className="with-logo">
          <Logo name={name} logo={logo} />
          <span className="cut">{plainText(name)}</span>
          {deleting !== undefined && <Badge tone="warn">{texts.deleting}</Badge>}
        </span>
      ),
    },
    {
      id: "key",
      header: texts.key,
      width: "minmax(120px, 1fr)",
      cell: ({ unique_key: key }) => <span className="mono">{plainText(key)}</span>,
    },
    {
      id: "provider",
      header: texts.provider,
      width: "minmax(110px, 1fr)",
      cell: ({ provider }) => plainText(provider),
    },
    {
      id: "connections",
      header: texts.connections,
      width: "120px",
      isNumber: true,
      cell: ({ connections }) => (connections === undefined ? "" : formatNumber(connections)),
    },
    {
      id: "broken",
      header: texts.broken,
      width: "124px",
      isNumber: true,
      cell: ({ broken }) =>
        broken === 0 ? "" : <span className="fault">{formatNumber(broken)}</span>,
    },
    {
      id: "created",
      header: texts.created,
      width: "130px",
      cell: ({ created_at: at }) => (
        <time dateTime={at} title={at}>
          {formatShortDay(at)}
        </time>
      ),
    },
  ];
}
