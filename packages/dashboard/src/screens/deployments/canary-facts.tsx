import type { Canary } from "../../data/environment/deployments.ts";
import { formatNumber, formatShare, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { deploymentListTexts } from "../../texts/environment/deployment-list.ts";
import { useTextsOf } from "../../texts/use-texts.ts";

/** Who tries the new version, how far it is, what ends it, and what it led to. */
export function CanaryFacts({ canary }: { canary: Canary }) {
  const texts = useTextsOf(deploymentListTexts);
  const { name: environment } = useEnvironment();
  const { removes, limits, deployment_id: deployment } = canary;
  const isRunning = canary.state === "running";
  return (
    <Facts
      rows={[
        [texts.canaryConnections, formatNumber(canary.chosen_connections)],
        [texts.canaryStarted, <Time key="started" at={canary.started_at} />],
        [texts.canaryBy, plainText(canary.started_by)],
        [
          texts.canaryProgress,
          texts.canaryRunsOf(formatNumber(canary.runs), formatNumber(limits.min_runs ?? 0)),
        ],
        [texts.canaryEnds, isRunning && <Time at={canary.ends_at} />],
        [texts.canaryEnded, canary.ended_at && <Time at={canary.ended_at} />],
        [texts.canaryLimits, limitsText(limits, texts)],
        [
          texts.canaryRemoves,
          removes.functions + removes.models.length > 0 &&
            plainText(
              [texts.canaryRemoved(formatNumber(removes.functions)), ...removes.models].join(", "),
              500,
            ),
        ],
        [
          texts.canaryDeployment,
          deployment !== null && (
            <Go
              target={{
                to: `${homeOf(environment)}/deployments`,
                search: { open: deployment },
              }}
            >
              {texts.openOther}
            </Go>
          ),
        ],
      ]}
    />
  );
}

/** How much worse it may be, of what is limited. */
function limitsText(
  limits: Canary["limits"],
  texts: (typeof deploymentListTexts)["english"],
): string {
  const factors = [
    [texts.canarySlower, limits.slowdown],
    [texts.canaryAdds, limits.added_factor],
    [texts.canaryUpdates, limits.updated_factor],
    [texts.canaryDeletes, limits.deleted_factor],
  ] as const;
  return [
    texts.canaryFailures(formatShare(limits.failure_increase ?? 0)),
    ...factors.flatMap(([text, factor]) => (factor ? [text(formatNumber(factor))] : [])),
  ].join(", ");
}
