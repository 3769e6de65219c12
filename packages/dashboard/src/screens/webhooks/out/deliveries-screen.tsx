import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { callApi } from "../../../data/api.ts";
import {
  type Delivery,
  deliveriesQuery,
  receiversQuery,
} from "../../../data/environment/webhooks.ts";
import { EachButton } from "../../../parts/bulk/each-button.tsx";
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
import { useAddress } from "../../../parts/use-address.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { homeOf } from "../../../start/environment-address.ts";
import { webhookTexts } from "../../../texts/environment/webhooks.ts";
import { useTexts, useTextsOf } from "../../../texts/use-texts.ts";
import { deliveryPage } from "../webhook-words.ts";
import { deliveryColumns } from "./delivery-columns.tsx";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { ReceiverBanners } from "./receiver-banners.tsx";
import { Receivers } from "./receivers.tsx";
import { ReplayRange } from "./replay-range.tsx";

/** Webhooks that were sent or wait to be, below how their receivers do. */
export function DeliveriesScreen() {
  const { webhooks: texts, tables } = useTexts();
  const more = useTextsOf(webhookTexts);
  const { name: environment } = useEnvironment();
  const { words } = useAddress();
  const { state, ...rest } = words;
  const { type, status, url, integration: provider_config_key } = rest;
  const { connection: connection_id, q: search } = rest;
  const narrowed = { type, status, url, provider_config_key, connection_id, search };
  const filter = { state, ...narrowed };
  const period = periodOf(words, "24h");
  const { data: receivers = [] } = useQuery(receiversQuery(environment));
  return (
    <ListScreen
      id="deliveries"
      title={texts.outTitle}
      columns={useMemo(() => deliveryColumns(texts), [texts])}
      list={usePagedRows(deliveriesQuery(environment, filter, period))}
      keyOf={keyOf}
      pageOf={({ id }) => deliveryPage(environment, id)}
      panel={({ id, row: _row, ...open }) => <DeliveryDrawer key={id} id={id} {...open} />}
      above={
        <>
          <ReceiverBanners receivers={receivers} />
          <Receivers receivers={receivers} />
        </>
      }
      filters={
        <>
          <WordSearch label={texts.search} />
          <WordSearch word="connection" label={texts.connectionSearch} />
          <PeriodFilter byDefault="24h" />
          <WordFilter word="state" label={texts.state} choices={choicesOf(texts.states)} />
          <WordFilter word="type" label={texts.type} choices={choicesOf(texts.types)} />
          <WordFilter word="status" label={more.lastAnswer} choices={choicesOf(more.statuses)} />
          <IntegrationFilter />
          <WordFilter
            word="url"
            label={texts.receiver}
            choices={receivers.map((receiver) => ({ id: receiver.url, text: receiver.url }))}
          />
        </>
      }
      values={{ state: texts.states, type: texts.types, status: more.statuses }}
      narrowing={{
        state: texts.state,
        type: texts.type,
        status: more.lastAnswer,
        integration: tables.integration,
        connection: texts.connection,
        url: texts.receiver,
        q: tables.search,
      }}
      period={period}
      bulk={(chosen) =>
        chosen.kind === "rows" && (
          <EachButton
            label={texts.replay}
            scope="environment:webhooks:replay"
            ids={chosen.rows.map(keyOf)}
            onEach={async (id) =>
              await callApi("replayWebhookDelivery", { environment, params: { id } })
            }
            changes="deliveries"
          />
        )
      }
      examples={[
        curlOf("listWebhookDeliveries", environment, { query: Object(filter) }),
        nodeOf(environment, `webhookDeliveries.list(${JSON.stringify(filter)})`),
      ]}
      actions={<ReplayRange filter={narrowed} period={period} />}
      empty={{
        title: texts.noDeliveries,
        text: texts.noDeliveriesText,
        action: (
          <Go
            className="button primary"
            target={{ to: `${homeOf(environment)}/settings/webhooks` }}
          >
            {texts.setUp}
          </Go>
        ),
      }}
    />
  );
}

function keyOf({ id }: Delivery): string {
  return id;
}
