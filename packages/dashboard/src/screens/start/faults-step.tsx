import { useMutation } from "@tanstack/react-query";
import { problemsQuery } from "../../data/observe/problems.ts";
import { operationsQuery } from "../../data/operations.ts";
import { type SimulatorFault, setFault } from "../../data/start/simulator.ts";
import { Badge } from "../../parts/badge.tsx";
import { plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { curlOf } from "../../parts/panels/code-panel.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { startTexts } from "../../texts/screens/start.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import {
  faultOf,
  nameOf,
  pageOf as operationPageOf,
  toneOf as operationTone,
} from "../operations/operation-words.ts";
import { pageOf as problemPageOf, toneOf as problemTone } from "../problems/problem-words.ts";
import { Step } from "./step.tsx";
import { INTEGRATION, type Progress } from "./use-progress.ts";

const choices = ["expired_tokens", "rate_limit", "unavailable", "revoked", "none"] as const;

/** Makes the provider fail, and shows what the platform makes of it. */
export function FaultsStep({ sync, model, simulator }: Progress) {
  const texts = useTextsOf(startTexts);
  const { name: environment } = useEnvironment();
  const isNext = sync !== undefined && model !== undefined;
  const base = homeOf(environment);
  return (
    <Step
      number="5"
      title={texts.fail}
      text={texts.failText}
      isDone={false}
      isNext={isNext}
      examples={[
        curlOf("setSimulatorFault", environment, { body: { fault: "rate_limit" } }),
        { ...curlOf("listProblems", environment), name: texts.thenProblems },
      ]}
    >
      {isNext && <FaultButtons sync={sync} now={simulator?.fault ?? "none"} />}
      {isNext && <Effects />}
      {isNext && (
        <section className="stack">
          <h3>{texts.code}</h3>
          <p className="soft">{texts.codeText}</p>
          <pre className="code">npx jackfield init</pre>
          <div className="row">
            <Go className="button" target={{ to: `${base}/keys` }}>
              {texts.makeKey}
            </Go>
            <Go className="button" target={{ to: `${base}/catalogue` }}>
              {texts.own}
            </Go>
          </div>
        </section>
      )}
    </Step>
  );
}

function FaultButtons({ sync, now }: { sync: NonNullable<Progress["sync"]>; now: SimulatorFault }) {
  const texts = useTextsOf(startTexts);
  const { name: environment } = useEnvironment();
  const change = useMutation({
    mutationFn: async (fault: SimulatorFault) => await setFault(environment, fault, sync),
  });
  return (
    <>
      {change.isError && <FaultBanner error={change.error} />}
      <div className="row">
        {choices.map((fault) => (
          <ScopedButton
            key={fault}
            scope="environment:integrations:update"
            isDisabled={change.isPending || (fault === "none" && now === "none")}
            isPending={change.isPending && change.variables === fault}
            onPress={() => change.mutate(fault)}
          >
            {texts.faults[fault]}
          </ScopedButton>
        ))}
      </div>
      <p role="status" className="soft">
        {texts.nowText[now]}
      </p>
    </>
  );
}

const SHOWN = 6;

/** The newest operations of the integration, and what is a problem by now. */
function Effects() {
  const texts = useTextsOf(startTexts);
  const { operations: words } = useTexts();
  const { name: environment } = useEnvironment();
  const filter = { integrations: INTEGRATION };
  const operations = usePagedRows(operationsQuery(environment, filter, "1h"));
  const problems = usePagedRows(problemsQuery(environment, { state: "open" }));
  const open = problems.rows.filter(({ integration }) => integration === INTEGRATION);
  return (
    <div className="halves">
      <section aria-label={texts.happened}>
        <h3>{texts.happened}</h3>
        <ul className="rows events-of">
          {operations.rows.slice(0, SHOWN).map((operation) => (
            <li key={operation.id}>
              <Time at={operation.created_at} />
              <Go target={operationPageOf(environment, operation.id)}>
                {plainText(nameOf(operation))}
              </Go>
              <Badge tone={operationTone(operation.state)}>
                {faultOf(operation) ?? words.states[operation.state]}
              </Badge>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label={texts.wrong}>
        <h3>{texts.wrong}</h3>
        {open.length === 0 && <p className="soft">{texts.nothingWrong}</p>}
        <ul className="rows">
          {open.map((problem) => (
            <li key={problem.id}>
              <Badge tone={problemTone(problem)}>{plainText(problem.title)}</Badge>
              <Go target={problemPageOf(environment, problem)}>{texts.why}</Go>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
