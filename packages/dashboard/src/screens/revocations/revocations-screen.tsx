import { useMemo } from "react";
import { type Revocation, revocationsQuery } from "../../data/environment/revocations.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { apiAddress } from "../../start/base-path.ts";
import { type RevocationTexts, revocationTexts } from "../../texts/screens/revocations.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { NewRevocationButton } from "./new-revocation.tsx";
import { matchOf, notWithdrawn, revocationPage, revocationTones } from "./revocation-words.ts";

/** Revocations and rehearsals, newest first. */
export function RevocationsScreen() {
  const texts = useTextsOf(revocationTexts);
  const { name: environment } = useEnvironment();
  return (
    <ListScreen
      id="revocations"
      title={texts.title}
      columns={useMemo(() => columnsOf(texts), [texts])}
      list={usePagedRows(revocationsQuery(environment))}
      keyOf={keyOf}
      pageOf={({ id }) => revocationPage(environment, id)}
      narrowing={{}}
      actions={<NewRevocationButton />}
      examples={[
        curlOf("listRevocations", environment, {}),
        nodeOf(environment, "revocations.list({})"),
        cliOf(`revoke --integration github --rehearse --environment ${quote(environment)}`),
      ]}
      empty={{
        title: texts.emptyTitle,
        text: texts.emptyText,
        action: (
          <a
            className="button"
            href={`${apiAddress}/docs/revocations`}
            target="_blank"
            rel="noreferrer"
          >
            {texts.emptyDocs}
          </a>
        ),
      }}
    />
  );
}

function keyOf({ id }: Revocation): string {
  return id;
}

function columnsOf(texts: RevocationTexts): readonly Column<Revocation>[] {
  return [
    {
      id: "begun",
      header: texts.begun,
      width: "136px",
      cell: ({ created_at: at }) => <Time at={at} isShort />,
    },
    {
      id: "state",
      header: texts.state,
      width: "116px",
      cell: ({ state }) => <Badge tone={revocationTones[state]}>{texts.states[state]}</Badge>,
    },
    {
      id: "kind",
      header: texts.kind,
      width: "104px",
      cell: ({ rehearsal }) => texts.kinds[rehearsal ? "rehearsal" : "real"],
    },
    {
      id: "match",
      header: texts.match,
      width: "minmax(130px, 1.2fr)",
      cell: (row) => <span className="mono">{matchOf(row, texts)}</span>,
    },
    {
      id: "matched",
      header: texts.matched,
      width: "96px",
      isNumber: true,
      cell: ({ matched }) => formatNumber(matched),
    },
    {
      id: "withdrawn",
      header: texts.withdrawn,
      width: "104px",
      isNumber: true,
      cell: ({ counts }) => formatNumber(counts.withdrawn),
    },
    {
      id: "open",
      header: texts.open,
      width: "124px",
      isNumber: true,
      cell: (row) => formatNumber(notWithdrawn(row)),
    },
    {
      id: "reason",
      header: texts.reason,
      width: "minmax(190px, 2fr)",
      cell: ({ reason }) => plainText(reason ?? "", 80),
    },
  ];
}
