import { useMemo } from "react";
import { type Deployment, deploymentsQuery } from "../../data/environment/deployments.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { deploymentListTexts } from "../../texts/environment/deployment-list.ts";
import { deploymentTexts } from "../../texts/environment/deployments.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { CanaryCard } from "./canary-card.tsx";
import { deploymentColumns } from "./deployment-columns.tsx";
import { DeploymentDrawer } from "./deployment-drawer.tsx";

/** Deployments of the environment, newest first. */
export function DeploymentsScreen() {
  const texts = useTextsOf(deploymentListTexts);
  const more = useTextsOf(deploymentTexts);
  const { name: environment } = useEnvironment();
  return (
    <ListScreen
      id="deployments"
      title={texts.title}
      columns={useMemo(() => deploymentColumns(texts, more), [texts, more])}
      list={usePagedRows(deploymentsQuery(environment))}
      keyOf={keyOf}
      panel={({ id, row, ...open }) =>
        row !== undefined && <DeploymentDrawer key={id} deployment={row} {...open} />
      }
      above={<CanaryCard />}
      narrowing={{}}
      examples={[
        curlOf("listPastDeployments", environment),
        nodeOf(environment, "deployments.listPast()"),
        cliOf(`rollback --environment ${quote(environment)}`),
      ]}
      empty={{
        title: texts.emptyTitle,
        text: texts.emptyText,
        code: [cliOf(`deploy ${quote(environment)}`)],
      }}
    />
  );
}

function keyOf({ id }: Deployment): string {
  return id;
}
