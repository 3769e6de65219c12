import { useQuery } from "@tanstack/react-query";
import { latestDeploymentsQuery } from "../../data/environment/deployments.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Skeleton } from "../../parts/panels/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { deploymentListTexts } from "../../texts/environment/deployment-list.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { actorOf, DeploymentBadge } from "../deployments/deployment-columns.tsx";

/** The last deployments: what often explains what is broken. Nothing where none was made. */
export function DeploymentsCard() {
  const words = useTextsOf(deploymentListTexts);
  const { home: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(latestDeploymentsQuery(environment));
  const to = `${homeOf(environment)}/deployments`;
  if (query.data?.length === 0) return null;
  return (
    <Card title={texts.latestDeployments} actions={<Go target={{ to }}>{texts.allDeployments}</Go>}>
      {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={1} />}
      <ul className="rows problems">
        {query.data?.map((deployment) => {
          const { id, plan, way, created_at: at } = deployment;
          const counts = [plan.created, plan.updated, plan.removed].map(formatNumber);
          const [created = "", updated = "", removed = ""] = counts;
          return (
            <li key={id}>
              <DeploymentBadge deployment={deployment} texts={words} />
              <Go target={{ to, search: { open: id } }}>
                {`${words.ways[way]}: ${words.changesOf(created, updated, removed)}`}
              </Go>
              <span className="soft">{plainText(actorOf(deployment, words), 80)}</span>
              <Time at={at} />
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
