import { Fragment } from "react";
import type { WholeInbound } from "../../../data/environment/webhooks.ts";
import { queryClient } from "../../../data/query-client.ts";
import { formatNumber, plainText } from "../../../parts/formats.ts";
import { Go } from "../../../parts/go.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { homeOf } from "../../../start/environment-address.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { pageOf } from "../../connections/connection-words.ts";
import { WebhookRulesButton } from "../webhook-rules.tsx";

type Event = WholeInbound["events"][number];

function isUnmatched({ for_all: isForAll, connections }: Event): boolean {
  return !isForAll && connections.length === 0;
}

/** Says that events belong to no connection, and where that is mended. */
export function Unmatched({ inbound }: { inbound: WholeInbound }) {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { events, provider_config_key: integration } = inbound;
  const count = events.filter(isUnmatched).length;
  if (count === 0 || integration === null) return null;
  const base = homeOf(environment);
  return (
    <section className="banner warn">
      <div>
        <strong>{texts.unmatched(formatNumber(count))}</strong>
        <p>{texts.unmatchedText}</p>
      </div>
      <div className="row">
        <WebhookRulesButton
          label={texts.map}
          integration={integration}
          places={placesOf(inbound)}
          onSaved={async () => {
            const queryKey = ["inbound", environment, inbound.id];
            await queryClient.invalidateQueries({ queryKey });
          }}
        />
        <Go className="button" target={{ to: `${base}/connections`, search: { integration } }}>
          {texts.itsConnections}
        </Go>
        <Go
          className="button"
          target={{ to: `${base}/integrations/${encodeURIComponent(integration)}` }}
        >
          {texts.itsIntegration}
        </Go>
      </div>
    </section>
  );
}

/** What rules can name of this webhook, as far as a page may see it. */
function placesOf({ headers, url, events }: WholeInbound) {
  const query = URL.parse(url, "http://localhost")?.searchParams ?? [];
  return {
    values: [
      ...Object.keys(headers).map((name) => `header:${name}`),
      ...[...query].map(([name]) => `query:${name}`),
    ],
    properties: [
      "connectionId",
      ...new Set(
        events
          .flatMap((event) => event.looked_for.map(({ property }) => property))
          .filter((property) => property !== "connectionId"),
      ),
    ],
  };
}

/** Each event, by what its connections are looked for, and which fit. */
export function InboundEvents({ inbound }: { inbound: WholeInbound }) {
  const { webhooks: texts } = useTexts();
  const { events, provider_config_key: integration } = inbound;
  if (events.length === 0) return null;
  return (
    <Card title={texts.whose}>
      <ol className="events">
        {events.map((event, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: events have no id, and never change
          <li key={index}>
            <strong>{plainText(event.types[0] ?? texts.noType, 120)}</strong>
            <LookedFor event={event} />
            <Found event={event} integration={integration ?? ""} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function LookedFor({ event }: { event: Event }) {
  const { webhooks: texts } = useTexts();
  if (event.for_all) return <p>{texts.forAll}</p>;
  if (event.looked_for.length === 0) return <p>{texts.namesNothing}</p>;
  return (
    <p>
      {texts.lookedFor}{" "}
      {event.looked_for.map(({ property, value }) => (
        <code key={property}>{plainText(`${property} = ${value}`, 300)} </code>
      ))}
    </p>
  );
}

function Found({ event, integration }: { event: Event; integration: string }) {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  if (event.for_all) return null;
  if (event.connections.length === 0) return <p className="warn-text">{texts.fitsNone}</p>;
  return (
    <p>
      {texts.fits}{" "}
      {event.connections.map((id, place) => (
        <Fragment key={id}>
          {place > 0 && ", "}
          <Go
            className="mono"
            target={pageOf(environment, { provider_config_key: integration, connection_id: id })}
          >
            {plainText(id, 60)}
          </Go>
        </Fragment>
      ))}
    </p>
  );
}
