import { useQuery } from "@tanstack/react-query";
import type { Connection } from "../../../data/connections.ts";
import { arrivalsQuery, type WebhookArrivals } from "../../../data/environment/arrivals.ts";
import { formatMoment, formatNumber, formatSpan } from "../../../parts/formats.ts";
import { Card } from "../../../parts/panels/card.tsx";
import { Facts } from "../../../parts/panels/facts.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { useEnvironment, useMay } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";

/** How the provider's webhooks arrive for a connection; nothing where none came. */
export function ArrivalsCard({ connection }: { connection: Connection }) {
  const { arrivals: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:webhooks:read");
  const query = useQuery({ ...arrivalsQuery(environment, connection), enabled: may });
  if (query.isError) return <FaultBanner error={query.error} />;
  if (query.data === undefined || query.data === null) return null;
  return (
    <Card title={texts.title}>
      <ArrivalFacts arrivals={query.data} />
    </Card>
  );
}

function ArrivalFacts({ arrivals }: { arrivals: WebhookArrivals }) {
  const { arrivals: texts } = useTexts();
  const { sequence, silent_since: silent, expected_within_seconds: expected } = arrivals;
  const missing = sequence?.ranges.map(({ first, last }) =>
    first === last ? String(first) : `${first}–${last}`,
  );
  return (
    <Facts
      rows={[
        [texts.received, formatNumber(arrivals.received)],
        [texts.duplicates, formatNumber(arrivals.duplicates)],
        [texts.last, formatMoment(arrivals.last_received_at)],
        [texts.expected, expected === null ? texts.learning : formatSpan(expected * 1000)],
        [texts.silent, silent === null ? undefined : formatMoment(silent)],
        [texts.missing, sequence === null ? undefined : formatNumber(sequence.missing)],
        [texts.which, missing?.length ? missing.slice(-10).join(", ") : undefined],
      ]}
    />
  );
}
