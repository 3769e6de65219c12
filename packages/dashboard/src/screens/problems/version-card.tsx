import { useQuery } from "@tanstack/react-query";
import {
  type FunctionName,
  namedFunctionQuery,
  versionsQuery,
} from "../../data/functions/functions.ts";
import type { Problem } from "../../data/observe/problems.ts";
import { formatMoment, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { pageOf, playgroundOf } from "../functions/function-words.ts";
import { Change, Rollback } from "../functions/versions-tab.tsx";

/** Which version of the function began to fail, and what it changed. */
export function VersionCard({ problem }: { problem: Problem }) {
  const { name: environment } = useEnvironment();
  const { integration, function: name } = problem;
  const {
    data: found,
    isLoadingError,
    error,
    refetch,
  } = useQuery({
    ...namedFunctionQuery(environment, { integration: integration ?? "", name: name ?? "" }),
    enabled: integration !== null && name !== null,
  });
  if (isLoadingError) return <FaultBanner error={error} onRetry={() => void refetch()} />;
  if (integration === null || name === null || found === undefined || found === null) return null;
  return <Versions problem={problem} name={{ integration, name, type: found.type }} />;
}

function Versions({ problem, name }: { problem: Problem; name: FunctionName }) {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:functions:read");
  const query = useQuery({ ...versionsQuery(environment, name), enabled: may });
  const versions = query.data ?? [];
  // The newest first: the one that ran when it began to fail.
  const place = versions.findIndex(({ deployed_at: at }) => at <= problem.since);
  const first = versions[place];
  const before = versions[place + 1];
  const current = versions.find(({ current: isCurrent }) => isCurrent);
  return (
    <>
      <Card title={texts.versionCard}>
        <div className="stack padded">
          {query.isError && <FaultBanner error={query.error} />}
          {first !== undefined && (
            <p>
              {texts.firstShows(plainText(first.version, 60), formatMoment(first.deployed_at))}{" "}
              {current !== undefined &&
                current !== first &&
                texts.stillShows(plainText(current.version, 60))}
            </p>
          )}
          <div className="row">
            {current !== undefined && current.deployment_id !== null && (
              <Rollback name={name} deploymentId={current.deployment_id} />
            )}
            <Go className="button" target={playgroundOf(environment, name)}>
              {texts.dryRun}
            </Go>
            <Go className="button" target={pageOf(environment, name, "versions")}>
              {texts.openFunction}
            </Go>
          </div>
        </div>
      </Card>
      {first !== undefined && before !== undefined && (
        <Change name={name} version={first} before={before} isDiffOnly />
      )}
    </>
  );
}
