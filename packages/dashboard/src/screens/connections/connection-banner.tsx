import { useQuery } from "@tanstack/react-query";
import { type Connection, connectionCountsQuery } from "../../data/connections.ts";
import { formatNumber, formatTime, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { pageOf as operationPageOf } from "../operations/operation-words.ts";
import { revocationPage } from "../revocations/revocation-words.ts";

/** What is wrong with a connection, since when, what happens by itself, and whether others work. */
export function ConnectionBanner({ connection }: { connection: Connection }) {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { health, errors, provider_config_key: integration } = connection;
  const state = health?.state ?? "ok";
  const { data: counts } = useQuery({
    ...connectionCountsQuery(environment),
    enabled: state === "needs_reauthorization" || state === "backoff",
  });
  const same = counts?.by_integration.find(({ provider_config_key: key }) => key === integration);
  const authError = errors.find(({ type }) => type === "auth");
  const syncErrors = errors.filter(({ type }) => type === "sync");
  return (
    <>
      <FrozenBanner connection={connection} />
      {(state === "needs_reauthorization" || state === "backoff" || state === "pending") && (
        <section className={state === "needs_reauthorization" ? "banner bad" : "banner warn"}>
          <div>
            <strong>{texts.banners[state].title}</strong>
            <p>{texts.banners[state].text}</p>
            <ProviderAnswer error={authError} />
            <p>
              {health !== undefined &&
                health.refresh_failures > 0 &&
                texts.failures(health.refresh_failures)}{" "}
              {health?.next_refresh_at !== null &&
                health?.next_refresh_at !== undefined &&
                texts.nextTry(formatTime(health.next_refresh_at))}{" "}
              {same !== undefined &&
                same.total > 1 &&
                texts.othersWork(formatNumber(same.by_state.ok), formatNumber(same.total - 1))}
            </p>
          </div>
          {authError !== undefined && (
            <Go className="button" target={operationPageOf(environment, authError.log_id)}>
              {texts.openOperation}
            </Go>
          )}
        </section>
      )}
      {syncErrors.map(({ log_id: id, sync }) => (
        <section className="banner bad" key={id}>
          <div>
            <strong>{texts.syncError(plainText(sync ?? "", 60))}</strong>
          </div>
          <Go className="button" target={operationPageOf(environment, id)}>
            {texts.openOperation}
          </Go>
        </section>
      ))}
    </>
  );
}

function FrozenBanner({ connection: { frozen_by: revocation } }: { connection: Connection }) {
  const { revocations: texts } = useTexts();
  const { name: environment } = useEnvironment();
  if (revocation === null) return null;
  return (
    <section className="banner bad">
      <div>
        <strong>{texts.frozenBanner}</strong>
        <p>{texts.frozenBannerText}</p>
      </div>
      <Go className="button" target={revocationPage(environment, revocation)}>
        {texts.openRevocation}
      </Go>
    </section>
  );
}

/** The stage that failed and the provider's own words. */
function ProviderAnswer({ error }: { error: Connection["errors"][number] | undefined }) {
  const { connections: texts } = useTexts();
  if (error?.stage === undefined) return null;
  return (
    <p>
      {texts.stage(error.stage)}
      {error.upstream !== undefined && (
        <>
          {" · "}
          <code>{plainText(JSON.stringify(error.upstream), 400)}</code>
        </>
      )}
    </p>
  );
}
