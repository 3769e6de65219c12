import { useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { connectionCountsQuery } from "../../data/connections.ts";
import { webhookSettingsQuery } from "../../data/environment/settings.ts";
import { integrationsQuery } from "../../data/integrations.ts";
import { totalsQuery } from "../../data/observe/metrics.ts";
import { changeTable, useTableLook } from "../../data/preferences.ts";
import { simulatorQuery } from "../../data/start/simulator.ts";
import { Badge } from "../../parts/badge.tsx";
import { Go, type Target } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { firstStepsTexts } from "../../texts/environment/first-steps.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";

type StepName = "integration" | "connection" | "use" | "webhooks";

interface Step {
  readonly name: StepName;
  readonly isDone: boolean;
  readonly target: Target;
}

/** What is done with an integration; changes of the environment itself are no use of it. */
const uses = { types: "proxy,action,sync" };

/** What leads from nothing to an integration in use: each step until it is done, all until somebody hides them. */
export function FirstSteps() {
  const { home } = useTexts();
  const texts = useTextsOf(firstStepsTexts);
  const { name: environment } = useEnvironment();
  const steps = useSteps();
  const { data: simulator } = useQuery(simulatorQuery(environment));
  const id = `first-steps-${environment}`;
  const { hidden } = useTableLook(id);
  if (hidden !== undefined || steps === undefined) return null;
  if (steps.every(({ isDone }) => isDone)) return null;
  const isPlayed = simulator !== undefined && simulator.state !== "unavailable";
  const isEmpty = steps.every(({ isDone }) => !isDone);
  const next = steps.find(({ isDone }) => !isDone)?.name;
  // Kept like the columns of a table that somebody has hidden.
  const hide = () => changeTable(id, { hidden: ["all"] });
  return (
    <Card
      title={isEmpty ? home.firstTitle : texts.title}
      actions={
        <Button className="button small" onPress={hide}>
          {texts.hide}
        </Button>
      }
    >
      <p className="soft padded">
        {isEmpty ? (isPlayed ? home.firstPlayed : home.firstText) : texts.text}
      </p>
      <ol className="rows">
        {steps.map(({ name, isDone, target }) => (
          <li key={name} aria-current={name === next ? "step" : undefined}>
            {isDone ? (
              <span>{texts.steps[name]}</span>
            ) : (
              <Go target={target}>{texts.steps[name]}</Go>
            )}
            <Badge tone={isDone ? "good" : "idle"}>{isDone ? texts.done : texts.open}</Badge>
          </li>
        ))}
      </ol>
      {isEmpty && (
        <div className="row padded">
          {isPlayed && (
            <Go className="button primary" target={{ to: `${homeOf(environment)}/start` }}>
              {home.firstSimulated}
            </Go>
          )}
          <Go
            className={isPlayed ? "button" : "button primary"}
            target={{ to: `${homeOf(environment)}/catalogue` }}
          >
            {home.firstAction}
          </Go>
        </div>
      )}
    </Card>
  );
}

/** The steps that this person may see the outcome of; nothing before all of it is read. */
function useSteps(): readonly Step[] | undefined {
  const { name: environment } = useEnvironment();
  const base = homeOf(environment);
  const mayReadLogs = useMay("environment:logs:read");
  const mayReadWebhooks = useMay("environment:webhooks:read");
  const integrations = useQuery(integrationsQuery(environment)).data;
  const counts = useQuery(connectionCountsQuery(environment)).data;
  const totals = useQuery({
    ...totalsQuery(environment, "30d", undefined, uses),
    enabled: mayReadLogs,
  }).data;
  const webhooks = useQuery({
    ...webhookSettingsQuery(environment),
    enabled: mayReadWebhooks,
  }).data;
  if (integrations === undefined || counts === undefined) return undefined;
  if ((mayReadLogs && totals === undefined) || (mayReadWebhooks && webhooks === undefined)) {
    return undefined;
  }
  return [
    {
      name: "integration",
      isDone: integrations.length > 0,
      target: { to: `${base}/catalogue` },
    },
    { name: "connection", isDone: counts.total > 0, target: { to: `${base}/connections` } },
    ...(totals === undefined
      ? []
      : [
          { name: "use" as const, isDone: totals.length > 0, target: { to: `${base}/playground` } },
        ]),
    ...(webhooks === undefined
      ? []
      : [
          {
            name: "webhooks" as const,
            isDone: Boolean(webhooks.primary_url),
            target: { to: `${base}/settings/webhooks` },
          },
        ]),
  ];
}
