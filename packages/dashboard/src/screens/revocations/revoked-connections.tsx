import { useMemo } from "react";
import {
  type Revocation,
  type RevokedConnection,
  revokedConnectionsQuery,
} from "../../data/environment/revocations.ts";
import { Badge } from "../../parts/badge.tsx";
import { plainText, shortenId } from "../../parts/formats.ts";
import { InnerList } from "../../parts/list/inner-list.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import type { Column } from "../../parts/table/column.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { type RevocationTexts, revocationTexts } from "../../texts/screens/revocations.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { pageOf } from "../connections/connection-words.ts";
import { itemTones } from "./revocation-words.ts";

/** Each connection of a revocation, and what its provider answered. */
export function RevokedConnections({ revocation }: { revocation: Revocation }) {
  const texts = useTextsOf(revocationTexts);
  const { name: environment } = useEnvironment();
  const { id, rehearsal } = revocation;
  return (
    <InnerList
      id="revoked-connections"
      title={texts.connections}
      list={usePagedRows(revokedConnectionsQuery(environment, id))}
      columns={useMemo(() => columnsOf(texts, rehearsal), [texts, rehearsal])}
      keyOf={(row) => String(row.id)}
      targetOf={(row) => pageOf(environment, row)}
      empty={texts.noConnections}
    />
  );
}

function columnsOf(
  texts: RevocationTexts,
  isRehearsal: boolean,
): readonly Column<RevokedConnection>[] {
  return [
    {
      id: "connection",
      header: texts.connection,
      width: "minmax(112px, 1fr)",
      cell: ({ connection_id: id }) => (
        <span className="mono" title={id}>
          {plainText(shortenId(id, 12))}
        </span>
      ),
    },
    {
      id: "integration",
      header: texts.integration,
      width: "minmax(96px, 0.6fr)",
      cell: ({ provider_config_key: key }) => plainText(key, 60),
    },
    {
      id: "state",
      header: texts.state,
      width: "196px",
      cell: ({ state }) => (
        <Badge tone={itemTones[state]}>
          {isRehearsal && state === "withdrawn" ? texts.wouldBe : texts.itemStates[state]}
        </Badge>
      ),
    },
    {
      id: "answers",
      header: texts.answers,
      width: "minmax(226px, 1.8fr)",
      cell: ({ reason, answers }) => {
        const parts = answers.map(({ host, status, code }) =>
          [host, status, code].filter((part) => part !== null).join(" "),
        );
        const why = reason === null ? null : (texts.reasons[reason] ?? reason);
        const all = [why, ...parts].filter((part) => part !== null);
        return <span title={plainText(all.join("; "), 400)}>{plainText(all.join("; "), 120)}</span>;
      },
    },
  ];
}
