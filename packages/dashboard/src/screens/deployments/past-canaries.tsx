import { useQuery } from "@tanstack/react-query";
import { canariesQuery, type PastCanary } from "../../data/environment/deployments.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { deploymentListTexts } from "../../texts/environment/deployment-list.ts";
import { useTextsOf } from "../../texts/use-texts.ts";

const tones: Readonly<Record<PastCanary["state"], Tone>> = {
  running: "run",
  promoted: "good",
  rolled_back: "bad",
};

export function CanaryBadge({ state }: Pick<PastCanary, "state">) {
  const texts = useTextsOf(deploymentListTexts);
  return <Badge tone={tones[state]}>{texts.canaryStates[state]}</Badge>;
}

/** The canaries before the newest one, and why each ended. */
export function PastCanariesButton() {
  const texts = useTextsOf(deploymentListTexts);
  return (
    <DialogButton label={texts.canaries} isWide>
      {() => <PastCanaries />}
    </DialogButton>
  );
}

function PastCanaries() {
  const texts = useTextsOf(deploymentListTexts);
  const { name: environment } = useEnvironment();
  const query = useQuery(canariesQuery(environment));
  if (query.isError) return <FaultBanner error={query.error} />;
  const columns = [
    { header: texts.canaryStarted, cell: ({ started_at: at }: PastCanary) => <Time at={at} /> },
    { header: texts.state, cell: ({ state }: PastCanary) => <CanaryBadge state={state} /> },
    {
      header: texts.canaryRuns,
      isNumber: true,
      cell: ({ runs }: PastCanary) => formatNumber(runs),
    },
    { header: texts.canaryBy, cell: ({ started_by: by }: PastCanary) => plainText(by) },
    { header: texts.canaryWhy, cell: ({ message }: PastCanary) => plainText(message, 500) },
  ];
  return (
    <PlainTable
      label={texts.canaries}
      columns={columns}
      rows={query.data ?? []}
      keyOf={({ id }) => id}
    />
  );
}
