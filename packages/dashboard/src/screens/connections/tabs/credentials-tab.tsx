import type { Connection, ConnectionName } from "../../../data/connections.ts";
import { callOfConnection } from "../../../data/connections.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { formatDay, formatNumber, plainText } from "../../../parts/formats.ts";
import { Card } from "../../../parts/panels/card.tsx";
import { curlOf } from "../../../parts/panels/code-panel.tsx";
import { Facts } from "../../../parts/panels/facts.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { accountOf } from "../connection-words.ts";
import { DiagnosisCard } from "./diagnosis-card.tsx";
import { UsesCard } from "./uses-card.tsx";

/** State of the credentials. Their values never come with a page. */
export function CredentialsTab({
  connection,
  name,
}: {
  connection: Connection;
  name: ConnectionName;
}) {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const code = curlOf("getConnection", environment, callOfConnection(name)).text;
  return (
    <div className="stack measure">
      <CredentialFacts connection={connection} />
      <UsesCard connection={connection} />
      <DiagnosisCard name={name} />
      <Card title={texts.values} actions={<CopyButton isSmall text={() => code} />}>
        <p className="soft padded">{texts.valuesText}</p>
        <pre className="code">{code}</pre>
      </Card>
    </div>
  );
}

/** When credentials were issued and end, and what they allow. */
export function CredentialFacts({ connection }: { connection: Connection }) {
  const { health } = connection;
  const { connections: texts } = useTexts();
  if (health === undefined) return null;
  const day = (at: string | null) => (at === null ? undefined : formatDay(at));
  const { refresh_failures: failures, scopes_granted: scopes } = health;
  return (
    <Card title={texts.credentials}>
      <Facts
        rows={[
          [texts.account, plainText(accountOf(connection))],
          [texts.expires, day(health.expires_at) ?? texts.noExpiry],
          [texts.reauthorizeBy, day(health.reauthorize_by)],
          [texts.lastRefreshed, day(health.last_refreshed_at)],
          [texts.nextRefresh, day(health.next_refresh_at)],
          [texts.refreshFailures, failures === 0 ? undefined : formatNumber(failures)],
          [texts.scopes, scopes === null ? undefined : plainText(scopes.join(", "), 4000)],
        ]}
      />
    </Card>
  );
}
