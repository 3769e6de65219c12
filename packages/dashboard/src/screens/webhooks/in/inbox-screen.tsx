import { useMemo } from "react";
import { callApi } from "../../../data/api.ts";
import { type Inbound, inboxQuery } from "../../../data/environment/webhooks.ts";
import { Badge } from "../../../parts/badge.tsx";
import { EachButton } from "../../../parts/bulk/each-button.tsx";
import { formatNumber, plainText, shortenId } from "../../../parts/formats.ts";
import { Go } from "../../../parts/go.tsx";
import { ListScreen } from "../../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../../parts/list/rows.ts";
import {
  choicesOf,
  IntegrationFilter,
  PeriodFilter,
  periodOf,
  WordFilter,
  WordSearch,
} from "../../../parts/list/word-filters.tsx";
import { curlOf, nodeOf } from "../../../parts/panels/code-panel.tsx";
import type { Column } from "../../../parts/table/column.ts";
import { Time } from "../../../parts/time.tsx";
import { useAddress } from "../../../parts/use-address.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { homeOf } from "../../../start/environment-address.ts";
import type { Texts } from "../../../texts/english.ts";
import { webhookTexts } from "../../../texts/environment/webhooks.ts";
import { useTexts, useTextsOf } from "../../../texts/use-texts.ts";
import { inboundPage, inboundTones } from "../webhook-words.ts";
import { HandleRange } from "./handle-range.tsx";
import { InboundDrawer } from "./inbound-drawer.tsx";
import { NothingReceived, SilentIntegrations } from "./nothing-received.tsx";

/** Webhooks that providers have sent, newest first. */
export function InboxScreen() {
  const { webhooks: texts, tables } = useTexts();
  const more = useTextsOf(webhookTexts);
  const { name: environment } = useEnvironment();
  const { words } = useAddress();
  const { state, integration: provider_config_key, connection } = words;
  const connection_id = provider_config_key === undefined ? undefined : connection;
  const filter = { state, provider_config_key, connection_id };
  const period = periodOf(words, "24h");
  return (
    <ListScreen
      id="inbox"
      title={texts.inTitle}
      columns={useMemo(() => columnsOf(texts, more), [texts, more])}
      list={usePagedRows(inboxQuery(environment, filter, period))}
      keyOf={keyOf}
      pageOf={({ id }) => inboundPage(environment, id)}
      panel={({ id, row: _row, ...open }) => <InboundDrawer key={id} id={id} {...open} />}
      above={
        provider_config_key === undefined ? (
          <SilentIntegrations />
        ) : (
          <NothingReceived integration={provider_config_key} />
        )
      }
      filters={
        <>
          <PeriodFilter byDefault="24h" />
          <WordFilter word="state" label={texts.state} choices={choicesOf(texts.inboundStates)} />
          <IntegrationFilter />
          {provider_config_key !== undefined && (
            <WordSearch word="connection" label={texts.connectionSearch} />
          )}
        </>
      }
      values={{ state: texts.inboundStates }}
      narrowing={{
        state: texts.state,
        integration: tables.integration,
        connection: texts.connection,
      }}
      period={period}
      bulk={(chosen) =>
        chosen.kind === "rows" && (
          <EachButton
            label={texts.handleAgain}
            scope="environment:webhooks:replay"
            ids={chosen.rows.filter((row) => row.has_request).map(keyOf)}
            onEach={async (id) =>
              await callApi("replayInboundWebhook", { environment, params: { id } })
            }
            changes="inbox"
          />
        )
      }
      examples={[
        curlOf("listInbox", environment, { query: Object(filter) }),
        nodeOf(environment, `inbox.list(${JSON.stringify(filter)})`),
      ]}
      actions={
        <HandleRange integration={provider_config_key} period={period} connection={connection_id} />
      }
      empty={{
        title: texts.noInbound,
        text: texts.noInboundText,
        action: (
          <Go className="button" target={{ to: `${homeOf(environment)}/integrations` }}>
            {texts.toIntegrations}
          </Go>
        ),
      }}
    />
  );
}

function keyOf({ id }: Inbound): string {
  return id;
}

function columnsOf(
  texts: Texts["webhooks"],
  { connections }: { readonly connections: string },
): readonly Column<Inbound>[] {
  return [
    {
      id: "received",
      header: texts.received,
      width: "136px",
      cell: ({ received_at: at }) => <Time at={at} isShort />,
    },
    {
      id: "state",
      header: texts.state,
      width: "124px",
      cell: ({ state }) => <Badge tone={inboundTones[state]}>{texts.inboundStates[state]}</Badge>,
    },
    {
      id: "integration",
      header: texts.integration,
      width: "minmax(110px, 1fr)",
      cell: ({ provider_config_key: key }) => plainText(key ?? ""),
    },
    {
      id: "events",
      header: texts.events,
      width: "minmax(126px, 1.4fr)",
      cell: ({ types }) => <span className="mono">{plainText(types.join(", "))}</span>,
    },
    {
      id: "connections",
      header: connections,
      width: "minmax(112px, 1fr)",
      cell: ({ connections: ids }) => (
        <span className="mono" title={ids.join(", ")}>
          {plainText(ids.map((id) => shortenId(id, 24)).join(", "))}
        </span>
      ),
    },
    {
      id: "verified",
      header: texts.verified,
      width: "96px",
      cell: ({ verified }) => texts.proofs[verified],
    },
    {
      id: "size",
      header: texts.size,
      width: "110px",
      isNumber: true,
      cell: ({ size }) => texts.bytes(formatNumber(size)),
    },
    {
      id: "attempts",
      header: texts.attempts,
      width: "92px",
      isNumber: true,
      cell: ({ attempts }) => formatNumber(attempts),
    },
    {
      id: "error",
      header: texts.error,
      width: "minmax(88px, 1.6fr)",
      cell: ({ error }) => plainText(error ?? ""),
    },
  ];
}
