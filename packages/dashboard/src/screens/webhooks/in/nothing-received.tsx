import { useQuery } from "@tanstack/react-query";
import { intakeQuery, intakesQuery } from "../../../data/environment/webhooks.ts";
import { type Integration, integrationQuery } from "../../../data/integrations.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { formatMoment, plainText } from "../../../parts/formats.ts";
import { Go } from "../../../parts/go.tsx";
import { useEnvironment, useMay } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { RejectedWebhooks } from "./rejected-webhooks.tsx";
import { isSilent, isUnverified } from "./silence.ts";

/** Says of an integration since when nothing has come, or that none is verified; nothing where webhooks come. */
export function NothingReceived({ integration: key }: { integration: string }) {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:webhooks:read");
  const { data: intake } = useQuery({ ...intakeQuery(environment, key), enabled: may });
  const { data: integration } = useQuery(integrationQuery(environment, key));
  if (intake === undefined || intake === null || integration === undefined) return null;
  if (isUnverified(intake)) return <RejectedWebhooks intake={intake} />;
  const { last_received_at: last } = intake;
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

/** Integrations whose webhooks have stopped, those for which any ever came. */
export function SilentIntegrations() {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:webhooks:read");
  const { data: intakes = [] } = useQuery({ ...intakesQuery(environment), enabled: may });
  const silent = intakes.flatMap(({ provider_config_key: key, last_received_at: last }) =>
    last !== null && isSilent(last) ? [{ key, last }] : [],
  );
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
