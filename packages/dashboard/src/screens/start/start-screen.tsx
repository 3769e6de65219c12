import { useMutation } from "@tanstack/react-query";
import { makeSimulated } from "../../data/start/simulator.ts";
import { Go } from "../../parts/go.tsx";
import { CodeButton, cliOf, curlOf, fetchOf, quote } from "../../parts/panels/code-panel.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { startTexts } from "../../texts/screens/start.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { ConnectStep } from "./connect-step.tsx";
import { DeployStep } from "./deploy-step.tsx";
import { FaultsStep } from "./faults-step.tsx";
import { RunStep } from "./run-step.tsx";
import { Step } from "./step.tsx";
import { INTEGRATION, type Progress, useProgress } from "./use-progress.ts";

/** From nothing to records of a provider that this server plays, and what happens when it fails. */
export function StartScreen() {
  const texts = useTextsOf(startTexts);
  const { home } = useTexts();
  const { name: environment } = useEnvironment();
  const progress = useProgress();
  const catalogue = { to: `${homeOf(environment)}/catalogue` };
  return (
    <>
      <ScreenHead title={texts.title}>
        <CodeButton
          examples={[curlOf("getSimulator", environment), fetchOf("getSimulator", environment)]}
        />
        <Go className="button" target={catalogue}>
          {texts.own}
        </Go>
      </ScreenHead>
      <div className="page-scroll">
        {progress.error !== null && (
          <FaultBanner error={progress.error} onRetry={progress.readAgain} />
        )}
        {!progress.isReading && progress.simulator?.state === "unavailable" ? (
          <section className="card">
            <Empty title={texts.none} text={texts.noneText}>
              <Go className="button primary" target={catalogue}>
                {home.firstAction}
              </Go>
            </Empty>
          </section>
        ) : (
          (progress.error === null || progress.simulator !== undefined) && (
            <ol className="first-steps" aria-busy={progress.isReading}>
              <IntegrationStep {...progress} />
              <ConnectStep {...progress} />
              <DeployStep {...progress} />
              <RunStep {...progress} />
              <FaultsStep {...progress} />
            </ol>
          )
        )}
      </div>
    </>
  );
}

function IntegrationStep({ hasIntegration, isReading, simulator }: Progress) {
  const texts = useTextsOf(startTexts);
  const { name: environment } = useEnvironment();
  const make = useMutation({ mutationFn: async () => await makeSimulated(environment) });
  const examples = [
    curlOf("startSimulator", environment),
    {
      ...curlOf("createIntegration", environment, {
        body: { provider: INTEGRATION, unique_key: INTEGRATION },
      }),
      name: texts.thenIntegration,
    },
    cliOf(`integrations create ${INTEGRATION} --environment ${quote(environment)}`),
  ];
  return (
    <Step
      number="1"
      title={texts.integration}
      text={texts.integrationText}
      isDone={hasIntegration}
      isNext={!isReading && !hasIntegration}
      examples={examples}
    >
      {make.isError && <FaultBanner error={make.error} />}
      {hasIntegration ? (
        <p>
          <Go target={{ to: `${homeOf(environment)}/integrations/${INTEGRATION}` }}>
            {INTEGRATION}
          </Go>{" "}
          <span className="mono soft">{simulator?.origin}</span>
        </p>
      ) : (
        <div className="row">
          <ScopedButton
            scope="environment:integrations:create"
            look="primary"
            isPending={make.isPending}
            onPress={() => make.mutate()}
          >
            {texts.makeIntegration}
          </ScopedButton>
        </div>
      )}
    </Step>
  );
}
