import { useState } from "react";
import { callApi } from "../../data/api.ts";
import type { Deployment } from "../../data/environment/deployments.ts";
import { queryClient } from "../../data/query-client.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { formatNumber, formatTime, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { cliOf, curlOf, nodeCall, quote } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { Drawer } from "../../parts/panels/drawer.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { deploymentListTexts } from "../../texts/environment/deployment-list.ts";
import { deploymentTexts } from "../../texts/environment/deployments.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { pageOf as functionPageOf } from "../functions/function-words.ts";
import { pageOf as operationPageOf } from "../operations/operation-words.ts";
import { actorOf, DeploymentBadge } from "./deployment-columns.tsx";
import { DiffButton } from "./deployment-diff.tsx";

const tones: Readonly<Record<Deployment["plan"]["changes"][number]["change"], Tone>> = {
  new: "good",
  updated: "run",
  removed: "bad",
};

/** One deployment next to the list: what it changed, why it failed, and taking it back. */
export function DeploymentDrawer({
  deployment,
  onClose,
  onStep,
}: {
  deployment: Deployment;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const texts = useTextsOf(deploymentListTexts);
  const { error } = deployment;
  return (
    <Drawer
      title={texts.deploymentTitle(formatTime(deployment.created_at))}
      onClose={onClose}
      onStep={onStep}
    >
      <p className="padded">
        <DeploymentBadge deployment={deployment} texts={texts} />
      </p>
      {error !== null && (
        <section className="banner bad column">
          <strong>{plainText(error.type)}</strong>
          <p>{plainText(error.message, 2000)}</p>
        </section>
      )}
      <RollBack deployment={deployment} />
      <Plan deployment={deployment} />
      <About deployment={deployment} />
    </Drawer>
  );
}

const LISTED = 100;

function Plan({ deployment: { id, plan } }: { deployment: Deployment }) {
  const texts = useTextsOf(deploymentListTexts);
  const { name: environment } = useEnvironment();
  return (
    <Card title={texts.plan}>
      {plan.changes.length === 0 && <p className="soft padded">{texts.noChanges}</p>}
      <ol className="runs">
        {plan.changes.map(({ provider_config_key: integration, type, name, change }) => (
          <li key={`${integration} ${type} ${name}`} className="change">
            <Badge tone={tones[change]}>{texts.kinds[change]}</Badge>
            <Go target={functionPageOf(environment, { integration, type, name }, "versions")}>
              {plainText(`${integration}/${name}`, 120)}
            </Go>
            <span className="row">
              <span className="soft">{type}</span>
              {change !== "removed" && (
                <DiffButton deploymentId={id} name={{ integration, type, name }} />
              )}
            </span>
          </li>
        ))}
      </ol>
      {plan.changes.length === LISTED && <p className="soft padded">{texts.first100}</p>}
    </Card>
  );
}

function About({ deployment }: { deployment: Deployment }) {
  const texts = useTextsOf(deploymentListTexts);
  const { name: environment } = useEnvironment();
  const more = useTextsOf(deploymentTexts);
  const { operation_id: operation, rollback_of: other, plan } = deployment;
  return (
    <Card title={texts.about}>
      <Facts
        rows={[
          [texts.time, <Time key="time" at={deployment.created_at} />],
          [texts.way, texts.ways[deployment.way]],
          [texts.actor, plainText(actorOf(deployment, texts))],
          [more.branch, deployment.branch && plainText(deployment.branch)],
          [
            more.commit,
            deployment.commit && (
              <span className="mono wrap">{plainText(deployment.commit, 64)}</span>
            ),
          ],
          [texts.unchanged, formatNumber(plan.unchanged)],
          [
            texts.rollbackOf,
            other !== null && (
              <Go target={{ to: ".", search: { open: other } }}>{texts.openOther}</Go>
            ),
          ],
          [
            texts.operation,
            operation !== null && (
              <Go target={operationPageOf(environment, operation)}>{texts.openOperation}</Go>
            ),
          ],
        ]}
      />
    </Card>
  );
}

function RollBack({ deployment: { id, plan, state } }: { deployment: Deployment }) {
  const texts = useTextsOf(deploymentListTexts);
  const { name: environment } = useEnvironment();
  const [isDone, setDone] = useState(false);
  const { created, updated, removed } = plan;
  if (state === "failed" || created + updated + removed === 0) return null;
  return (
    <div className="row padded">
      <ConfirmButton
        label={texts.rollBack}
        title={texts.rollBackTitle}
        scope="environment:deploy"
        text={texts.rollBackText(
          formatNumber(created),
          formatNumber(updated),
          formatNumber(removed),
        )}
        confirm={texts.rollBackIn(environment)}
        code={[
          curlOf("rollBackDeployment", environment, { params: { id } }),
          nodeCall(environment, "deployments.rollBack", id),
          cliOf(`rollback ${quote(id)} --environment ${quote(environment)}`),
        ]}
        onConfirm={async () => {
          await callApi("rollBackDeployment", { environment, params: { id } });
          setDone(true);
          for (const key of ["deployments", "functions", "function", "function-list"]) {
            await queryClient.invalidateQueries({ queryKey: [key, environment] });
          }
        }}
      />
      <span role="status">{isDone ? texts.rolledBack : ""}</span>
    </div>
  );
}
