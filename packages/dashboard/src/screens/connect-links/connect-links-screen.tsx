import { useMemo } from "react";
import { callApi } from "../../data/api.ts";
import { type ConnectLink, linksQuery } from "../../data/environment/connect-links.ts";
import { Badge } from "../../parts/badge.tsx";
import { EachButton } from "../../parts/bulk/each-button.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { choicesOf, WordFilter } from "../../parts/list/word-filters.tsx";
import { cliOf, curlOf, nodeCall, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { LinkDrawer } from "./link-drawer.tsx";
import { integrationsOf, linkTones, makerOf, ownerOf } from "./link-words.ts";
import { NewLinkButton } from "./new-link.tsx";

/** Links by which end users connect, newest first. */
export function ConnectLinksScreen() {
  const { connectLinks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { state } = useAddress().words;
  const options = state === undefined ? [] : ["--state", quote(state)];
  return (
    <ListScreen
      id="connectLinks"
      title={texts.title}
      columns={useMemo(() => columnsOf(texts), [texts])}
      list={usePagedRows(linksQuery(environment, { state }))}
      keyOf={keyOf}
      panel={({ id, row, ...open }) =>
        row !== undefined && <LinkDrawer key={id} link={row} {...open} />
      }
      filters={<WordFilter word="state" label={texts.state} choices={choicesOf(texts.states)} />}
      values={{ state: texts.states }}
      narrowing={{ state: texts.state }}
      bulk={(chosen) =>
        chosen.kind === "rows" && (
          <EachButton
            label={texts.revokeChosen}
            scope="environment:connect_sessions:write"
            ids={chosen.rows.filter((row) => row.state === "open").map(keyOf)}
            onEach={async (linkId) =>
              await callApi("revokeConnectLink", { environment, params: { linkId } })
            }
            changes="connect-links"
          />
        )
      }
      examples={[
        curlOf("listConnectLinks", environment, { query: Object({ state }) }),
        nodeOf(environment, `connectLinks.list(${JSON.stringify({ state })})`),
        cliOf(["links", ...options, "--environment", quote(environment)].join(" ")),
      ]}
      actions={<NewLinkButton />}
      empty={{
        title: texts.emptyTitle,
        text: texts.emptyText,
        code: [
          curlOf("createConnectLink", environment, { body: firstLink }),
          nodeCall(environment, "connectLinks.create", firstLink),
          cliOf(`links create --end-user user-1 --environment ${quote(environment)}`),
        ],
      }}
    />
  );
}

const firstLink = { tags: { end_user_id: "user-1" } };

function keyOf({ id }: ConnectLink): string {
  return id;
}

function columnsOf(texts: Texts["connectLinks"]): readonly Column<ConnectLink>[] {
  return [
    {
      id: "owner",
      header: texts.owner,
      width: "minmax(140px, 1.4fr)",
      cell: (link) => plainText(ownerOf(link), 60),
    },
    {
      id: "state",
      header: texts.state,
      width: "104px",
      cell: ({ state }) => <Badge tone={linkTones[state]}>{texts.states[state]}</Badge>,
    },
    {
      id: "purpose",
      header: texts.purpose,
      width: "minmax(150px, 1fr)",
      cell: ({ reconnects }) =>
        reconnects === null
          ? texts.connects
          : plainText(texts.reconnects(reconnects.connection_id), 60),
    },
    {
      id: "integrations",
      header: texts.integrations,
      width: "minmax(120px, 1fr)",
      cell: (link) => plainText(integrationsOf(link, texts), 80),
    },
    {
      id: "uses",
      header: texts.uses,
      width: "88px",
      isNumber: true,
      cell: ({ uses, max_uses: most }) => texts.of(formatNumber(uses), formatNumber(most)),
    },
    {
      id: "by",
      header: texts.createdBy,
      width: "minmax(110px, 1fr)",
      cell: (link) => plainText(makerOf(link, texts), 60),
    },
    {
      id: "created",
      header: texts.created,
      width: "136px",
      cell: ({ created_at: at }) => <Time at={at} isShort />,
    },
    {
      id: "expires",
      header: texts.expires,
      width: "136px",
      cell: ({ expires_at: at }) => <Time at={at} isShort />,
    },
  ];
}
