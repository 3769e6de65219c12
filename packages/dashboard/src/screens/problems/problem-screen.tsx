import { useQuery } from "@tanstack/react-query";
import { ApiError } from "../../data/api.ts";
import { type Problem, problemQuery } from "../../data/observe/problems.ts";
import { operationQuery } from "../../data/operations.ts";
import { Badge } from "../../parts/badge.tsx";
import { DetailScreen } from "../../parts/detail-screen.tsx";
import { plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { Time } from "../../parts/time.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { AffectedCard } from "./affected-card.tsx";
import { HelpCard } from "./help-card.tsx";
import { ProblemActions, ProblemNote } from "./problem-actions.tsx";
import { affectedOf, kindOf, toneOf } from "./problem-words.ts";
import { ReceiverCard } from "./receiver-card.tsx";
import { RefusalCard } from "./refusal-card.tsx";
import { VersionCard } from "./version-card.tsx";

/** One problem: its cause, since when, who is affected, what happens by itself, and what helps. */
export function ProblemScreen() {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { problemId = "" } = usePathValues();
  const query = useQuery(problemQuery(environment, problemId));
  const call = { params: { problemId } };
  return (
    <DetailScreen
      query={query}
      title={(problem) => problem?.title}
      parent={{
        text: texts.title,
        target: { to: `${homeOf(environment)}/problems` },
      }}
      badge={(problem) => <Badge tone={toneOf(problem)}>{texts.states[problem.state]}</Badge>}
      examples={[
        curlOf("getProblem", environment, call),
        nodeOf(environment, `problems.get(${JSON.stringify(problemId)})`),
      ]}
      actions={(problem) => <ProblemActions problem={problem} />}
    >
      {(problem) => (
        <div className="columns">
          <div className="stack">
            {problem.cause !== null && (
              <Card title={texts.cause}>
                <p className="padded wrap">{plainText(problem.cause, 1000)}</p>
              </Card>
            )}
            <HelpCard problem={problem} />
            {problem.kind === "function_error" && <VersionCard problem={problem} />}
            {problem.kind === "delete_guard" && <RefusalCard problem={problem} />}
            {problem.receiver_url !== null && (
              <ReceiverCard problem={problem} url={problem.receiver_url} />
            )}
            <AffectedCard problem={problem} />
          </div>
          <div className="stack">
            <About problem={problem} />
            <ProblemNote key={problem.note} problem={problem} />
          </div>
        </div>
      )}
    </DetailScreen>
  );
}

function About({ problem }: { problem: Problem }) {
  const { problems: texts } = useTexts();
  const { sample_operation_id: sampleId, first_operation_id: firstId } = problem;
  const hasFirst = firstId != null && firstId !== sampleId;
  return (
    <Card title={texts.facts}>
      <Facts
        rows={[
          [texts.kind, kindOf(problem, texts)],
          [texts.affected, affectedOf(problem, texts)],
          [texts.integration, problem.integration && plainText(problem.integration)],
          [texts.function, problem.function && plainText(problem.function)],
          [texts.model, problem.model && plainText(problem.model)],
          [texts.receiver, problem.receiver_url && plainText(problem.receiver_url, 400)],
          [texts.since, <Time key="since" at={problem.since} />],
          [texts.last, <Time key="last" at={problem.last_at} />],
          [texts.nextAt, problem.next_at && <Time at={problem.next_at} />],
          [texts.firstOperation, hasFirst && <FirstOperation id={firstId} />],
          [texts.sampleOperation, sampleId && <SampleOperation id={sampleId} />],
          [texts.resolvedAt, problem.resolved_at && <Time at={problem.resolved_at} />],
        ]}
      />
    </Card>
  );
}

const NOT_FOUND = 404;

/** It may have happened before the oldest log that is still kept. */
function FirstOperation({ id }: { id: string }) {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { error } = useQuery(operationQuery(environment, id));
  const isGone = error instanceof ApiError && error.status === NOT_FOUND;
  return isGone ? <span className="soft">{texts.firstGone}</span> : <SampleOperation id={id} />;
}

function SampleOperation({ id }: { id: string }) {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  return <Go target={{ to: `${homeOf(environment)}/operations/${id}` }}>{texts.openSample}</Go>;
}
