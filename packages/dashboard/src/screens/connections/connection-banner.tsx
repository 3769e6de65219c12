import { useQuery } from "@tanstack/react-query";
import {
  type Connection,
  type ConnectionHealth,
  connectionCountsQuery,
  oldPlatformQuery,
  type RefreshFailure,
} from "../../data/connections.ts";
import { formatMoment, formatNumber, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { revocationTexts } from "../../texts/screens/revocations.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { integrationField } from "../integrations/integration-words.ts";
import { pageOf as operationPageOf } from "../operations/operation-words.ts";
import { revocationPage } from "../revocations/revocation-words.ts";

/** What is wrong with a connection, since when, what happens by itself, and whether others work. */
export function ConnectionBanner({ connection }: { connection: Connection }) {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { health, errors } = connection;
  const failure = health?.failure ?? null;
  const syncErrors = errors.filter(({ type }) => type === "sync");
  return (
    <>
      <FrozenBanner connection={connection} />
      <ReadThroughBanner connection={connection} />
      {failure !== null && health !== undefined && (
        <FailureBanner connection={connection} health={health} failure={failure} />
      )}
      {health?.state === "pending" && (
        <section className="banner warn">
          <div>
            <strong>{texts.banners.pending.title}</strong>
            <p>{texts.banners.pending.text}</p>
          </div>
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
  const texts = useTextsOf(revocationTexts);
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

/** Which platform refreshes the tokens, until the connection is handed over. */
function ReadThroughBanner({ connection: { read_through: id } }: { connection: Connection }) {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: platform } = useQuery({
    ...oldPlatformQuery(environment, id ?? ""),
    enabled: id !== null,
  });
  if (id === null) return null;
  return (
    <section className="banner warn">
      <div>
        <strong>{texts.readThrough.title(plainText(platform?.name ?? "", 100))}</strong>
        <p>{texts.readThrough.text}</p>
        {platform !== undefined && (
          <p>
            <code>{plainText(platform.url, 200)}</code>
          </p>
        )}
      </div>
    </section>
  );
}

interface Failed {
  readonly connection: Connection;
  readonly health: ConnectionHealth;
  readonly failure: RefreshFailure;
}

/** Why the credentials are not renewed, and what ends it. */
function FailureBanner({ connection, health, failure }: Failed) {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { errors, provider_config_key: integration } = connection;
  const authError = errors.find(({ type }) => type === "auth");
  const isOfIntegration =
    failure.cause === "client_refused" || failure.cause === "integration_misconfigured";
  const isCorrected = isOfIntegration && failure.next === "retry";
  return (
    <section className={failure.next === "retry" ? "banner warn" : "banner bad"}>
      <div>
        <strong>{texts.failureTitles[failure.cause]}</strong>
        <p>{texts.failureTexts[isCorrected ? "corrected" : failure.next]}</p>
        {authError?.stage === undefined ? (
          <p>{plainText(failure.message, 400)}</p>
        ) : (
          <ProviderAnswer error={authError} />
        )}
        <Figures integration={integration} health={health} failure={failure} />
      </div>
      <div className="row">
        {isOfIntegration && (
          <Go
            className="button primary"
            target={integrationField(
              environment,
              integration,
              failure.cause === "client_refused" ? "client_secret" : undefined,
            )}
          >
            {texts.editIntegration}
          </Go>
        )}
        {authError !== undefined && (
          <Go className="button" target={operationPageOf(environment, authError.log_id)}>
            {texts.openOperation}
          </Go>
        )}
      </div>
    </section>
  );
}

/** Since when, how often, when next, and whether it is the end user's connection or all of them. */
function Figures({
  integration,
  health: { refresh_failures: failures },
  failure,
}: Omit<Failed, "connection"> & { integration: string }) {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: counts } = useQuery(connectionCountsQuery(environment));
  const same = counts?.by_integration.find(({ provider_config_key: key }) => key === integration);
  const { since, next, next_attempt_at: nextAt } = failure;
  const parts = [
    texts.failsSince(formatMoment(since)),
    failures > 0 ? texts.failures(failures) : "",
    nextAt === null ? "" : texts.nextTry(formatMoment(nextAt)),
    same !== undefined && next === "operator"
      ? texts.sameFails(formatNumber(same.by_state.backoff), formatNumber(same.total))
      : "",
    same !== undefined && same.total > 1 && next !== "operator"
      ? texts.othersWork(formatNumber(same.by_state.ok), formatNumber(same.total - 1))
      : "",
  ];
  return <p>{parts.filter((part) => part !== "").join(" ")}</p>;
}

/** Its status and body as the provider wrote them, where there is no more to it. */
function answerOf(upstream: object): string {
  const { status, body, ...rest } = Object(upstream);
  const isPlain = typeof body === "string" && Object.keys(rest).length === 0;
  if (!isPlain) return JSON.stringify(upstream);
  return status === undefined ? body : `HTTP ${status} ${body}`;
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
          <code>{plainText(answerOf(error.upstream), 400)}</code>
        </>
      )}
    </p>
  );
}
