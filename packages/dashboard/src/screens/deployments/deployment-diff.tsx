import { useQuery } from "@tanstack/react-query";
import { type FunctionName, versionsQuery } from "../../data/functions/functions.ts";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { deploymentListTexts } from "../../texts/environment/deployment-list.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { Change } from "../functions/versions-tab.tsx";

/** What a deployment changed in the source of a function. */
export function DiffButton(props: { deploymentId: string; name: FunctionName }) {
  const texts = useTextsOf(deploymentListTexts);
  return (
    <DialogButton
      label={texts.diff}
      title={texts.diffOf(props.name.name)}
      scope="environment:functions:read"
      isWide
    >
      {() => <Diff {...props} />}
    </DialogButton>
  );
}

function Diff({ deploymentId, name }: { deploymentId: string; name: FunctionName }) {
  const texts = useTextsOf(deploymentListTexts);
  const { shell } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(versionsQuery(environment, name));
  if (query.isError) return <FaultBanner error={query.error} />;
  if (query.data === undefined) return <p role="status">{shell.loading}</p>;
  const place = query.data.findIndex((version) => version.deployment_id === deploymentId);
  const version = query.data[place];
  // The last 20 versions of a function are kept.
  if (version === undefined) return <p>{texts.noVersion}</p>;
  return <Change name={name} version={version} before={query.data[place + 1]} />;
}
