import type { Connection } from "../../../data/connections.ts";
import { formatDate, formatDay, plainText } from "../../../parts/formats.ts";
import { Go } from "../../../parts/go.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { Facts } from "../../../parts/panels/facts.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { homeOf } from "../../../start/environment-address.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { rateLimitsPage } from "../../rate-limits/rate-limit-words.ts";
import { deliveriesPath, inboxPath } from "../../webhooks/webhook-words.ts";
import { accountOf, customerOf, organizationOf, wordOfTag } from "../connection-words.ts";
import { ArrivalsCard } from "./arrivals-card.tsx";
import { CredentialFacts } from "./credentials-tab.tsx";
import { OperationsTab } from "./operations-tab.tsx";
import { SyncsTab } from "./syncs-tab.tsx";

const LATEST = 10;

/** Syncs and latest operations of a connection, and what is known of it. */
export function OverviewTab({ connection }: { connection: Connection }) {
  return (
    <div className="columns">
      <div className="stack">
        <SyncsTab isShort connection={connection} />
        <OperationsTab connection={connection} most={LATEST} />
      </div>
      <div className="stack">
        <About connection={connection} />
        <CredentialFacts connection={connection} />
        <ArrivalsCard connection={connection} />
      </div>
    </div>
  );
}

/** The lists of webhooks, narrowed to the connection. */
function Webhooks({ connection }: { connection: Connection }) {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { connection_id: id, provider_config_key: integration } = connection;
  const search = { connection: id, range: "all" };
  return (
    <span className="row">
      <Go target={{ to: inboxPath(environment), search: { ...search, integration } }}>
        {texts.webhooksIn}
      </Go>
      <Go target={{ to: deliveriesPath(environment), search }}>{texts.webhooksOut}</Go>
    </span>
  );
}

function About({ connection }: { connection: Connection }) {
  const { connections: texts, rateLimits } = useTexts();
  const { name: environment } = useEnvironment();
  const { tags } = connection;
  const usedOn = connection.health?.last_used_on;
  return (
    <Card title={texts.about}>
      <Facts
        rows={[
          [
            texts.id,
            <span className="mono" key="id">
              {plainText(connection.connection_id)}
            </span>,
          ],
          [texts.customer, plainText(customerOf(connection))],
          [texts.organization, plainText(organizationOf(connection))],
          [texts.account, plainText(accountOf(connection))],
          [texts.created, formatDay(connection.created_at)],
          [texts.updated, formatDay(connection.updated_at)],
          [texts.lastUsed, usedOn && formatDate(usedOn)],
          [texts.webhooks, <Webhooks key="webhooks" connection={connection} />],
          [
            rateLimits.title,
            <Go key="limits" target={rateLimitsPage(environment, connection.provider_config_key)}>
              {rateLimits.ofIntegration}
            </Go>,
          ],
          [
            texts.tags,
            Object.keys(tags).length === 0 ? undefined : (
              <ul className="plain-list mono" key="tags">
                {Object.entries(tags).map(([name, value]) => (
                  <li key={name}>
                    <Go
                      target={{
                        to: `${homeOf(environment)}/connections`,
                        search: { [wordOfTag(name)]: value },
                      }}
                    >
                      {plainText(`${name}=${value}`)}
                    </Go>
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
