import { useInfiniteQuery } from "@tanstack/react-query";
import { type Connection, connectionsQuery } from "../../data/connections.ts";
import type { DeployedFunction, FunctionName } from "../../data/functions/functions.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Skeleton } from "../../parts/panels/skeleton.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { functionPageTexts } from "../../texts/functions/function-page.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { pageOf as connectionPageOf } from "../connections/connection-words.ts";

/** The ways to call an action from outside. */
export function CallersCard({ own }: { own: DeployedFunction }) {
  const texts = useTextsOf(functionPageTexts);
  const { endpoints = [] } = own;
  const isAction = own.type === "action";
  if (!isAction && endpoints.length === 0) return null;
  const paths = endpoints.map(({ method, path }) => plainText(`${method} /v1${path}`, 200));
  return (
    <Card title={texts.callers}>
      {!own.enabled && <p className="soft padded">{texts.isDisabled}</p>}
      <Facts
        rows={[
          [texts.api, isAction && texts.apiText("POST /action/trigger")],
          [texts.mcp, isAction && texts.mcpText("/mcp")],
          [texts.agents, isAction && texts.agentsText],
          [
            texts.endpoints,
            paths.length > 0 && (
              <ul className="plain">
                {paths.map((path) => (
                  <li key={path} className="mono">
                    {path}
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
    </Card>
  );
}

interface ScopeRow {
  readonly scope: string;
  readonly known: number;
  readonly lacking: readonly Connection[];
}

/** The scopes that a function needs, and the connections for which its provider has not granted them. */
export function ScopesCard({ own, name }: { own: DeployedFunction; name: FunctionName }) {
  const texts = useTextsOf(functionPageTexts);
  const { name: environment } = useEnvironment();
  const may = useMay("environment:connections:list");
  const { scopes: needed = [] } = own;
  const query = useInfiniteQuery({
    ...connectionsQuery(environment, { integrationId: name.integration }),
    enabled: may && needed.length > 0,
  });
  if (!may || needed.length === 0) return null;
  const connections = query.data?.pages[0]?.data;
  if (query.isError) {
    return (
      <Card title={texts.scopes}>
        <FaultBanner error={query.error} onRetry={() => void query.refetch()} />
      </Card>
    );
  }
  if (connections === undefined) {
    return (
      <Card title={texts.scopes}>
        <Skeleton rows={3} />
      </Card>
    );
  }
  const reporting = connections.filter(({ health }) => health?.scopes_granted);
  const rows = needed.map((scope) => ({
    scope,
    known: reporting.length,
    lacking: reporting.filter(({ health }) => health?.scopes_granted?.includes(scope) === false),
  }));
  return (
    <Card title={texts.scopes}>
      <PlainTable
        label={texts.scopes}
        rows={rows}
        keyOf={({ scope }) => scope}
        columns={[
          { header: texts.scope, cell: ({ scope }) => <code>{plainText(scope, 200)}</code> },
          {
            header: texts.granted,
            isNumber: true,
            cell: ({ known, lacking }) => formatNumber(known - lacking.length),
          },
          { header: texts.lacking, cell: (row) => <Lacking row={row} /> },
        ]}
      />
      <p className="soft padded">
        {reporting.length === 0
          ? texts.noneKnown
          : texts.scopesText(
              formatNumber(reporting.length),
              formatNumber(connections.length - reporting.length),
            )}
      </p>
    </Card>
  );
}

const MOST_NAMED = 3;

function Lacking({ row: { lacking } }: { row: ScopeRow }) {
  const texts = useTextsOf(functionPageTexts);
  const { name: environment } = useEnvironment();
  const others = lacking.length - MOST_NAMED;
  return (
    <>
      {lacking.slice(0, MOST_NAMED).map((connection) => (
        <span key={connection.connection_id}>
          <Go target={connectionPageOf(environment, connection)}>
            {plainText(connection.connection_id, 40)}
          </Go>{" "}
        </span>
      ))}
      {others > 0 && texts.more(formatNumber(others))}
    </>
  );
}
