import { useQueries, useQuery } from "@tanstack/react-query";
import { lastInboundQuery } from "../../../data/environment/webhooks.ts";
import {
  type Integration,
  integrationQuery,
  integrationsQuery,
} from "../../../data/integrations.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { formatMoment, plainText } from "../../../parts/formats.ts";
import { Go } from "../../../parts/go.tsx";
import { useEnvironment, useMay } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { isSilent } from "./silence.ts";

/** Says of an integration since when nothing has come, and how to find out why; nothing where webhooks come. */
export function NothingReceived({ integration: key }: { integration: string }) {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:webhooks:read");
  const { data: last } = useQuery({ ...lastInboundQuery(environment, key), enabled: may });
  const { data: integration } = useQuery(integrationQuery(environment, key));
  if (last === undefined || integration === undefined) return null;
  if (last !== null && !isSilent(last)) return null;
  return (
    <section className="banner warn" aria-label={texts.silence}>
      <div>
        <strong>
          {last === null
            ? texts.nothingStored(plainText(key, 60))
            : texts.nothingSince(plainText(key, 60), formatMoment(last))}
        </strong>
        <p>{last === null ? texts.neverHelp : texts.silentHelp}</p>
        <Address integration={integration} />
      </div>
    </section>
  );
}

function Address({ integration: { webhook_url: url } }: { integration: Integration }) {
  const { webhooks: texts } = useTexts();
  if (typeof url !== "string") return null;
  return (
    <p className="row">
      <span className="mono">{url}</span>
      <CopyButton isSmall label={texts.copyAddress} text={() => url} />
    </p>
  );
}

/** More would be as many calls; the filter of the list leads to the others. */
const MOST_INTEGRATIONS = 20;

/** Integrations whose webhooks have stopped, those of which any are stored. */
export function SilentIntegrations() {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: integrations = [] } = useQuery(integrationsQuery(environment));
  const keys = integrations.slice(0, MOST_INTEGRATIONS).map(({ unique_key: key }) => key);
  const answers = useQueries({ queries: keys.map((key) => lastInboundQuery(environment, key)) });
  const silent = keys.flatMap((key, place) => {
    const last = answers[place]?.data;
    return typeof last === "string" && isSilent(last) ? [{ key, last }] : [];
  });
  if (silent.length === 0) return null;
  return (
    <ul className="banner warn plain-list" aria-label={texts.silence}>
      {silent.map(({ key, last }) => (
        <li key={key}>
          <Go target={{ to: ".", search: { integration: key, range: "all" } }}>
            {texts.nothingSince(plainText(key, 60), formatMoment(last))}
          </Go>
        </li>
      ))}
    </ul>
  );
}
