import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { rateLimitsQuery } from "../../data/observe/rate-limits.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { wholeRows } from "../../parts/list/rows.ts";
import { IntegrationFilter } from "../../parts/list/word-filters.tsx";
import { cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { rateLimitColumns } from "./rate-limit-columns.tsx";
import { RateLimitDrawer } from "./rate-limit-drawer.tsx";
import { keyOf } from "./rate-limit-words.ts";

/** Budgets of providers as the server has learned them, for apps and accounts, and the calls that wait for them. */
export function RateLimitsScreen() {
  const { rateLimits: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { integration } = useAddress().words;
  const query = useQuery(rateLimitsQuery(environment, integration));
  const filter = { provider_config_key: integration };
  const only = integration === undefined ? "" : ` --integration ${quote(integration)}`;
  return (
    <ListScreen
      id="rate-limits"
      title={texts.title}
      columns={useMemo(() => rateLimitColumns(texts), [texts])}
      list={wholeRows(query, query.data ?? [])}
      keyOf={keyOf}
      panel={({ row, ...open }) =>
        row !== undefined && <RateLimitDrawer key={keyOf(row)} limit={row} {...open} />
      }
      filters={<IntegrationFilter />}
      narrowing={{ integration: tables.integration }}
      examples={[
        curlOf("listRateLimits", environment, { query: Object(filter) }),
        nodeOf(environment, `integrations.listRateLimits(${JSON.stringify(filter)})`),
        cliOf(`rate-limits --environment ${quote(environment)}${only}`),
      ]}
      empty={{ title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}
