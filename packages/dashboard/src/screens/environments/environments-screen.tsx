import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { environmentsQuery, type ListedEnvironment } from "../../data/environment/environments.ts";
import { type Me, useMe } from "../../data/me.ts";
import { Badge } from "../../parts/badge.tsx";
import { plainText } from "../../parts/formats.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { wholeRows } from "../../parts/list/rows.ts";
import { WordSearch } from "../../parts/list/word-filters.tsx";
import { curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { environmentTexts } from "../../texts/screens/shell/environments.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { ConnectionCount, ProblemCount } from "./environment-counts.tsx";
import { EnvironmentDrawer } from "./environment-drawer.tsx";
import { NewEnvironmentButton } from "./new-environment.tsx";

type Texts = (typeof environmentTexts)["english"];

/** The environments of the account, and a new one. */
export function EnvironmentsScreen() {
  const texts = useTextsOf(environmentTexts);
  const me = useMe();
  const { words } = useAddress();
  const query = useQuery(environmentsQuery);
  const search = (words["q"] ?? "").toLowerCase();
  const rows = (query.data ?? []).filter(({ name }) => name.includes(search));
  return (
    <ListScreen
      id="environments"
      title={texts.title}
      columns={useMemo(() => columnsOf(texts, me), [texts, me])}
      list={wholeRows(query, rows)}
      keyOf={keyOf}
      panel={({ row, ...open }) =>
        row !== undefined && <EnvironmentDrawer key={row.id} environment={row} {...open} />
      }
      filters={<WordSearch label={texts.searchLabel} isInstant />}
      narrowing={{ q: texts.searchLabel }}
      examples={[curlOf("listEnvironments", "account"), nodeOf("account", "environments.list()")]}
      actions={<NewEnvironmentButton />}
      empty={{ title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

function keyOf({ id }: ListedEnvironment): string {
  return id;
}

function columnsOf(texts: Texts, me: Me): readonly Column<ListedEnvironment>[] {
  const ownOf = ({ id }: ListedEnvironment) => me.environments.find((own) => own.id === id);
  return [
    {
      id: "name",
      header: texts.name,
      width: "minmax(150px, 2fr)",
      cell: ({ name }) => plainText(name, 80),
    },
    {
      id: "kind",
      header: texts.kind,
      width: "140px",
      cell: ({ is_production: isProduction }) =>
        isProduction ? (
          <Badge tone="run">{texts.production}</Badge>
        ) : (
          <span className="soft">{texts.other}</span>
        ),
    },
    {
      id: "connections",
      header: texts.connections,
      width: "116px",
      isNumber: true,
      cell: (row) => <ConnectionCount own={ownOf(row)} />,
    },
    {
      id: "problems",
      header: texts.problems,
      width: "132px",
      isNumber: true,
      cell: (row) => <ProblemCount own={ownOf(row)} />,
    },
    {
      id: "created",
      header: texts.created,
      width: "172px",
      cell: ({ created_at: at }) => <Time at={at} />,
    },
  ];
}
