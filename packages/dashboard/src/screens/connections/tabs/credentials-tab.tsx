import { useQuery } from "@tanstack/react-query";
import {
  type Connection,
  type ConnectionName,
  type CredentialSummary,
  credentialSummaryQuery,
} from "../../../data/connections.ts";
import { formatDay, formatNumber, plainText } from "../../../parts/formats.ts";
import { Card } from "../../../parts/panels/card.tsx";
import { Facts } from "../../../parts/panels/facts.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { Skeleton } from "../../../parts/panels/skeleton.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { connectionTexts } from "../../../texts/screens/connection.ts";
import { useTexts, useTextsOf } from "../../../texts/use-texts.ts";
import { nameOfMode } from "../../integrations/auth-mode-words.ts";
import { accountOf } from "../connection-words.ts";
import { CredentialValues, ReadByKey } from "../credentials/credential-values.tsx";
import { ScopesCard } from "../credentials/scopes-card.tsx";
import { DiagnosisCard } from "./diagnosis-card.tsx";
import { UsesCard } from "./uses-card.tsx";

/** The credentials: their state, their fields, what they allow, and who used them. */
export function CredentialsTab({
  connection,
  name,
}: {
  connection: Connection;
  name: ConnectionName;
}) {
  const { name: environment } = useEnvironment();
  const query = useQuery(credentialSummaryQuery(environment, name));
  const { data: summary } = query;
  return (
    <div className="columns">
      <div className="stack">
        {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
        {query.isLoading && <Skeleton rows={4} />}
        {summary !== undefined && (
          <>
            <CredentialValues connection={connection} name={name} summary={summary} />
            <ScopesCard name={name} summary={summary} />
          </>
        )}
        <DiagnosisCard name={name} />
        <UsesCard connection={connection} />
      </div>
      <div className="stack">
        <CredentialFacts connection={connection} summary={summary} />
        <ReadByKey name={name} />
      </div>
    </div>
  );
}

/** When credentials were issued and end; with a summary also their type and version. */
export function CredentialFacts({
  connection,
  summary,
}: {
  connection: Connection;
  summary?: CredentialSummary | undefined;
}) {
  const { health } = connection;
  const { connections: texts, authModes } = useTexts();
  const own = useTextsOf(connectionTexts);
  if (health === undefined) return null;
  const day = (at: string | null) => (at === null ? undefined : formatDay(at));
  const { refresh_failures: failures, scopes_granted: scopes } = health;
  return (
    <Card title={texts.credentials}>
      <Facts
        rows={[
          ...(summary === undefined
            ? []
            : ([
                [own.type, nameOfMode(summary.type, authModes)],
                [own.version, own.versionOf(formatNumber(summary.version))],
                [own.issued, day(summary.issued_at) ?? own.imported],
              ] as const)),
          [texts.account, plainText(accountOf(connection))],
          [texts.expires, day(health.expires_at) ?? texts.noExpiry],
          [texts.reauthorizeBy, day(health.reauthorize_by)],
          [texts.lastRefreshed, summary === undefined ? day(health.last_refreshed_at) : undefined],
          [texts.nextRefresh, day(health.next_refresh_at)],
          [texts.refreshFailures, failures === 0 ? undefined : formatNumber(failures)],
          [
            texts.scopes,
            scopes === null || summary !== undefined
              ? undefined
              : plainText(scopes.join(", "), 4000),
          ],
        ]}
      />
    </Card>
  );
}
