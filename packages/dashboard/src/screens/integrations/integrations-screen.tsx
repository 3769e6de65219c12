import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Button } from "react-aria-components/Button";
import { connectionCountsQuery } from "../../data/connections.ts";
import { type Integration, integrationsQuery } from "../../data/integrations.ts";
import { SearchBox } from "../../parts/filters/search-box.tsx";
import { formatNumber, formatShortDay, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Logo } from "../../parts/logo.tsx";
import { CodeButton, cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { type Column, DataTable } from "../../parts/table/data-table.tsx";
import { ListFrame } from "../../parts/table/list-frame.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** An integration with how many connections it has. */
interface Row extends Integration {
  readonly connections: number;
  readonly broken: number;
}

/** Integrations of the environment. */
export function IntegrationsScreen() {
  const { integrations: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
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
      return { ...integration, connections: own?.total ?? 0, broken: refused + backoff };
    });
  }, [query.data, counts, wanted]);
  const columns = useMemo(() => columnsOf(texts), [texts]);
  const catalogue = { to: `/${encodeURIComponent(environment)}/catalogue` };
  return (
    <>
      <ScreenHead title={texts.title}>
        <CodeButton
          examples={[
            curlOf("listIntegrations", environment),
            nodeOf(environment, "listIntegrations()"),
            cliOf(`integrations list --environment ${quote(environment)}`),
          ]}
        />
        <Go className="button primary" target={catalogue}>
          {texts.add}
        </Go>
      </ScreenHead>
      <ListFrame
        list={{ ...query, hasNextPage: false }}
        count={rows.length}
        filters={
          <SearchBox
            isInstant
            label={texts.searchLabel}
            value={words["q"] ?? ""}
            onSearch={(q) => change({ q }, { replace: true })}
          />
        }
      >
        <div className="split">
          <DataTable
            id="integrations"
            label={texts.title}
            columns={columns}
            rows={rows}
            keyOf={keyOf}
            targetOf={({ unique_key: key }) => ({
              to: `/${encodeURIComponent(environment)}/integrations/${encodeURIComponent(key)}`,
            })}
            isLoading={query.isLoading}
            empty={
              wanted === "" ? (
                <Empty title={texts.emptyTitle} text={texts.emptyText}>
                  <Go className="button primary" target={catalogue}>
                    {texts.add}
                  </Go>
                </Empty>
              ) : (
                <Empty title={tables.noneMatch}>
                  <Button className="button" onPress={() => change({ q: undefined })}>
                    {tables.clearFilters}
                  </Button>
                </Empty>
              )
            }
          />
        </div>
      </ListFrame>
    </>
  );
}

function keyOf({ unique_key: key }: Row): string {
  return key;
}

function columnsOf(texts: Texts["integrations"]): readonly Column<Row>[] {
  return [
    {
      id: "name",
      header: texts.name,
      width: "minmax(180px, 1.4fr)",
      cell: ({ display_name: name, logo }) => (
        <span className="with-logo">
          <Logo name={name} logo={logo} />
          {plainText(name)}
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
      cell: ({ connections }) => formatNumber(connections),
    },
    {
      id: "broken",
      header: texts.broken,
      width: "110px",
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
