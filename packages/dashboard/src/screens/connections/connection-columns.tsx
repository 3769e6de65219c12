import type { Connection } from "../../data/connections.ts";
import type { Integration } from "../../data/integrations.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatDate, formatShortDay, plainText, shortenId } from "../../parts/formats.ts";
import { Logo } from "../../parts/logo.tsx";
import type { Column } from "../../parts/table/column.ts";
import type { Texts } from "../../texts/english.ts";
import { accountOf, customerOf, organizationOf, otherTagsOf, toneOf } from "./connection-words.ts";

/** What a list of connections shows of each. */
export function connectionColumns({
  texts,
  isExpiring,
  integrations,
  hasOrganizations,
  hasTags,
}: {
  texts: Texts["connections"];
  isExpiring: boolean;
  integrations: readonly Integration[];
  hasOrganizations: boolean;
  hasTags: boolean;
}): readonly Column<Connection>[] {
  const logos = new Map(integrations.map(({ unique_key: key, logo }) => [key, logo]));
  const day = (at: string | null | undefined) =>
    at === null || at === undefined ? (
      ""
    ) : (
      <time dateTime={at} title={at}>
        {formatShortDay(at)}
      </time>
    );
  return [
    {
      id: "connection",
      header: texts.connection,
      width: "minmax(150px, 1.3fr)",
      cell: ({ connection_id: id }) => (
        <span className="mono" title={id}>
          {plainText(shortenId(id, 17))}
        </span>
      ),
    },
    {
      id: "state",
      header: texts.state,
      width: "196px",
      cell: (row) => <ConnectionBadge connection={row} texts={texts} />,
    },
    {
      id: "customer",
      header: texts.customer,
      width: "minmax(110px, 1.5fr)",
      cell: (row) => plainText(customerOf(row)),
    },
    ...(hasOrganizations ? [organizationColumn(texts)] : []),
    {
      id: "integration",
      header: texts.integration,
      width: "minmax(108px, 1fr)",
      cell: ({ provider_config_key: key }) => (
        <span className="with-logo">
          <Logo name={key} logo={logos.get(key)} />
          {plainText(key)}
        </span>
      ),
    },
    {
      id: "account",
      header: texts.account,
      width: "minmax(94px, 0.8fr)",
      cell: (row) => plainText(accountOf(row)),
    },
    {
      id: "expires",
      header: isExpiring ? texts.reauthorizeBy : texts.expires,
      width: "112px",
      cell: ({ health }) => day(isExpiring ? health?.reauthorize_by : health?.expires_at),
    },
    {
      id: "used",
      header: texts.lastUsed,
      width: "112px",
      cell: ({ health: { last_used_on: on } = {} }) =>
        on !== undefined && <time dateTime={on}>{formatDate(on)}</time>,
    },
    { id: "created", header: texts.created, width: "112px", cell: (row) => day(row.created_at) },
    ...(hasTags ? [tagsColumn(texts)] : []),
  ];
}

function organizationColumn(texts: Texts["connections"]): Column<Connection> {
  return {
    id: "organization",
    header: texts.organization,
    width: "minmax(112px, 0.8fr)",
    cell: (row) => plainText(organizationOf(row)),
  };
}

function tagsColumn(texts: Texts["connections"]): Column<Connection> {
  return {
    id: "tags",
    header: texts.tags,
    width: "minmax(96px, 0.8fr)",
    cell: (row) => <span className="mono">{plainText(otherTagsOf(row).join(" "))}</span>,
  };
}

/** The state of the credentials, unless they work and a sync does not. */
export function ConnectionBadge({
  connection,
  texts,
}: {
  connection: Connection;
  texts: Texts["connections"];
}) {
  const state = connection.health?.state ?? "ok";
  const hasFailingSync = connection.errors.some(({ type }) => type === "sync");
  if (connection.frozen_by !== null) return <Badge tone="bad">{texts.frozen}</Badge>;
  if (state === "ok" && hasFailingSync) return <Badge tone="bad">{texts.syncFails}</Badge>;
  if (connection.health?.failure?.next === "operator") {
    return <Badge tone="bad">{texts.integrationRefused}</Badge>;
  }
  return <Badge tone={toneOf(state)}>{texts.states[state]}</Badge>;
}
