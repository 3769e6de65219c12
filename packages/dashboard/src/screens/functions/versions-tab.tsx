import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { callApi } from "../../data/api.ts";
import {
  type FunctionName,
  type FunctionVersion,
  versionCodeQuery,
  versionsQuery,
} from "../../data/functions/functions.ts";
import { queryClient } from "../../data/query-client.ts";
import { Badge } from "../../parts/badge.tsx";
import { CodeView } from "../../parts/code/code-view.tsx";
import { DiffView } from "../../parts/code/diff-view.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { cliOf, curlOf, nodeCall, quote } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Time } from "../../parts/time.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { pageOf } from "./function-words.ts";

/** The versions that are kept, and what each changed. */
export function VersionsTab({ name }: { name: FunctionName }) {
  const { functions: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const chosen = useAddress().words["version"];
  const query = useQuery(versionsQuery(environment, name));
  const versions = query.data ?? [];
  const place = Math.max(
    0,
    versions.findIndex(({ id }) => String(id) === chosen),
  );
  const shown = versions[place];
  return (
    <div className="columns">
      <div className="stack">
        {shown !== undefined && (
          <Change name={name} version={shown} before={versions[place + 1]} key={shown.id} />
        )}
      </div>
      <div className="stack">
        <Card title={texts.tabs.versions}>
          {query.isError && (
            <FaultBanner error={query.error} onRetry={() => void query.refetch()} />
          )}
          {query.data?.length === 0 && <Empty title={texts.noVersions} />}
          <ol className="rows">
            {versions.map((version) => (
              <li key={version.id}>
                <Go
                  target={{
                    ...pageOf(environment, name, "versions"),
                    search: { version: String(version.id) },
                  }}
                  aria-current={version === shown ? "true" : undefined}
                >
                  {plainText(version.version)}
                </Go>
                {version.current && <Badge tone="good">{texts.current}</Badge>}
                <Time at={version.deployed_at} />
                {version.current && version.deployment_id !== null && (
                  <Rollback name={name} deploymentId={version.deployment_id} />
                )}
              </li>
            ))}
          </ol>
        </Card>
      </div>
    </div>
  );
}

/** What a version changed of the one before it, and its source. */
export function Change({
  name,
  version,
  before,
  isDiffOnly = false,
}: {
  name: FunctionName;
  version: FunctionVersion;
  before: FunctionVersion | undefined;
  isDiffOnly?: boolean;
}) {
  const { functions: texts, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const after = useQuery(versionCodeQuery(environment, name, version.id));
  const earlier = useQuery({
    ...versionCodeQuery(environment, name, before?.id ?? 0),
    enabled: before !== undefined,
  });
  const failed = [after, earlier].find(({ isError }) => isError);
  if (failed !== undefined) {
    return <FaultBanner error={failed.error} onRetry={() => void failed.refetch()} />;
  }
  if (after.data === undefined) return <p role="status">{shell.loading}</p>;
  const title =
    before === undefined
      ? texts.compare
      : texts.compareTo(plainText(before.version), plainText(version.version));
  return (
    <>
      <Card title={title}>
        {before === undefined ? (
          <p className="soft padded">{texts.firstVersion}</p>
        ) : (
          earlier.data !== undefined && (
            <DiffView before={earlier.data} after={after.data} label={title} />
          )
        )}
      </Card>
      {!isDiffOnly && (
        <Card title={texts.wholeCode}>
          <CodeView code={after.data} label={texts.wholeCode} />
        </Card>
      )}
    </>
  );
}

/** Takes back the deployment that brought the current version. */
export function Rollback({ name, deploymentId }: { name: FunctionName; deploymentId: string }) {
  const { functions: texts } = useTexts();
  const { name: environment } = useEnvironment();
  return (
    <ConfirmButton
      label={texts.rollback}
      title={texts.rollbackTitle}
      scope="environment:deploy"
      text={texts.rollbackText(plainText(name.name, 80))}
      confirm={texts.inProduction(environment)}
      code={[
        curlOf("rollBackDeployment", environment, { params: { id: deploymentId } }),
        nodeCall(environment, "deployments.rollBack", deploymentId),
        cliOf(`rollback ${quote(deploymentId)} --environment ${quote(environment)}`),
      ]}
      onConfirm={async () => {
        const params = { id: deploymentId };
        return (await callApi("rollBackDeployment", { environment, params })).data.plan;
      }}
      outcome={(plan) => <RolledBack plan={plan} environment={environment} />}
    />
  );
}

/** What was taken back; the page behind is read again when this is closed, since its buttons go with it. */
function RolledBack({
  plan,
  environment,
}: {
  plan: { readonly updated: number; readonly removed: number; readonly created: number };
  environment: string;
}) {
  const { functions: texts } = useTexts();
  useEffect(
    () => () => {
      for (const key of ["function", "function-code", "function-versions", "function-list"]) {
        void queryClient.invalidateQueries({ queryKey: [key, environment] });
      }
    },
    [environment],
  );
  const { updated, removed, created } = plan;
  return (
    <>
      {texts.rollbackDone}{" "}
      {texts.rolledBack(formatNumber(updated), formatNumber(removed), formatNumber(created))}
    </>
  );
}
