import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { deploySource, type SampleFunction } from "../../data/start/simulator.ts";
import { JsonInput } from "../../parts/editor/json-input.tsx";
import { Go } from "../../parts/go.tsx";
import { cliOf, curlOf } from "../../parts/panels/code-panel.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { startTexts } from "../../texts/screens/start.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { Step } from "./step.tsx";
import { INTEGRATION, type Progress } from "./use-progress.ts";

/** A sync as its author writes it, deployed from here. */
export function DeployStep({ connection, hasFunction, simulator }: Progress) {
  const texts = useTextsOf(startTexts);
  const { name: environment } = useEnvironment();
  const [sample] = simulator?.functions ?? [];
  const path = [environment, "functions", INTEGRATION, "sync", sample?.name ?? "", "code"];
  const body = {
    type: "function",
    integration_id: INTEGRATION,
    function_type: "sync",
    function_name: sample?.name,
    code: "…",
  };
  return (
    <Step
      number="3"
      title={texts.deploy}
      text={texts.deployText}
      isDone={hasFunction}
      isNext={connection !== undefined && !hasFunction}
      examples={[
        curlOf("createDeployment", environment, { body: Object(body) }),
        cliOf(`deploy ${environment}`),
      ]}
    >
      {hasFunction && (
        <p>
          <Go target={{ to: `/${path.map(encodeURIComponent).join("/")}` }}>{sample?.name}</Go>
        </p>
      )}
      {!hasFunction && sample !== undefined && <Source sample={sample} />}
    </Step>
  );
}

function Source({ sample }: { sample: SampleFunction }) {
  const texts = useTextsOf(startTexts);
  const { name: environment } = useEnvironment();
  const [code, setCode] = useState(sample.code);
  const deploy = useMutation({
    mutationFn: async () => await deploySource(environment, INTEGRATION, { ...sample, code }),
  });
  return (
    <>
      <JsonInput label={texts.source} language="text" value={code} onChange={setCode} />
      {deploy.isError && <FaultBanner error={deploy.error} />}
      <div className="row">
        <ScopedButton
          scope="environment:deploy"
          look="primary"
          isPending={deploy.isPending}
          onPress={() => deploy.mutate()}
        >
          {texts.deployNow}
        </ScopedButton>
      </div>
    </>
  );
}
