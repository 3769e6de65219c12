import type { ConnectionName, CredentialSummary } from "../../../data/connections.ts";
import { Badge } from "../../../parts/badge.tsx";
import { formatNumber, plainText } from "../../../parts/formats.ts";
import { Card } from "../../../parts/panels/card.tsx";
import { Empty } from "../../../parts/panels/empty.tsx";
import { PlainTable } from "../../../parts/plain-table.tsx";
import { connectionTexts } from "../../../texts/screens/connection.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import { ReconnectButton } from "../connection-actions.tsx";

type Scopes = CredentialSummary["scopes"];
type Wanted = Scopes["wanted"][number];

/** What the provider granted, next to what the integration asks for and its functions need. */
export function ScopesCard({
  name,
  summary: { scopes },
}: {
  name: ConnectionName;
  summary: CredentialSummary;
}) {
  const texts = useTextsOf(connectionTexts);
  const { granted, wanted, missing } = scopes;
  const known = new Set(wanted.map(({ scope }) => scope));
  const others = granted?.filter((scope) => !known.has(scope)) ?? [];
  if (wanted.length === 0 && others.length === 0) {
    return (
      <Card title={texts.scopes}>
        <Empty title={texts.noScopes} />
      </Card>
    );
  }
  return (
    <Card title={texts.scopes}>
      {missing.length > 0 && <Missing name={name} missing={missing} />}
      {granted === null && <p className="soft padded">{texts.grantUnknown}</p>}
      {wanted.length > 0 && (
        <PlainTable
          label={texts.scopes}
          rows={wanted}
          keyOf={({ scope }) => scope}
          columns={[
            {
              header: texts.scope,
              cell: ({ scope }) => <span className="mono">{plainText(scope, 300)}</span>,
            },
            { header: texts.wantedBy, cell: (row) => <WantedBy wanted={row} /> },
            { header: texts.granted, cell: (row) => <Granted wanted={row} /> },
          ]}
        />
      )}
      {others.length > 0 && (
        <p className="padded">
          {texts.alsoGranted}: <span className="mono">{plainText(others.join(", "), 4000)}</span>
        </p>
      )}
    </Card>
  );
}

function Missing({ name, missing }: { name: ConnectionName; missing: Scopes["missing"] }) {
  const texts = useTextsOf(connectionTexts);
  return (
    <section className="banner warn">
      <div>
        <strong>{texts.missingTitle(formatNumber(missing.length))}</strong>
        <p>{texts.missingText}</p>
      </div>
      <ReconnectButton name={name} isPrimary={false} />
    </section>
  );
}

function WantedBy({ wanted: { by_integration: isAsked, functions } }: { wanted: Wanted }) {
  const texts = useTextsOf(connectionTexts);
  const names = [...(isAsked ? [texts.integration] : []), ...functions];
  return plainText(names.join(", "), 1000);
}

function Granted({ wanted: { is_granted: isGranted } }: { wanted: Wanted }) {
  const texts = useTextsOf(connectionTexts);
  if (isGranted === null) return <Badge tone="idle">{texts.isUnknown}</Badge>;
  return isGranted ? (
    <Badge tone="good">{texts.isGranted}</Badge>
  ) : (
    <Badge tone="bad">{texts.isMissing}</Badge>
  );
}
