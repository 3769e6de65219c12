import { useQuery } from "@tanstack/react-query";
import { operationQuery } from "../../data/operations.ts";
import { Badge } from "../../parts/badge.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { DetailScreen } from "../../parts/detail-screen.tsx";
import { plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { JsonView } from "../../parts/panels/json-view.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { FailureStack } from "./failure/failure-stack.tsx";
import { MessageList } from "./message-list.tsx";
import { OperationAgain } from "./operation-again.tsx";
import { OperationError } from "./operation-error.tsx";
import { OperationFacts } from "./operation-facts.tsx";
import { faultOf, nameOf, toneOf } from "./operation-words.ts";
import { OperationTape } from "./tape/operation-tape.tsx";
import { Waterfall } from "./waterfall.tsx";

/** One operation as a page, with its messages. */
export function OperationScreen() {
  const { operations: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { operationId: id = "" } = usePathValues();
  const query = useQuery(operationQuery(environment, id));
  const call = { params: { id } };
  return (
    <DetailScreen
      query={query}
      title={(operation) => operation && plainText(nameOf(operation), 80)}
      parent={{
        text: texts.title,
        target: { to: `${homeOf(environment)}/operations` },
      }}
      badge={(operation) => (
        <Badge tone={toneOf(operation.state)}>
          {[texts.states[operation.state], faultOf(operation)]
            .filter((part) => part !== undefined)
            .join(" · ")}
        </Badge>
      )}
      examples={[
        curlOf("getOperation", environment, call),
        nodeOf(environment, `operations.get(${JSON.stringify(id)})`),
        cliOf(`logs ${quote(id)} --environment ${quote(environment)}`),
      ]}
      actions={() => (
        <>
          {query.data !== undefined && <OperationAgain operation={query.data} />}
          <CopyButton label={tables.copyLink} text={() => window.location.href} />
        </>
      )}
    >
      {(operation) => (
        <>
          <OperationError operation={operation} />
          <FailureStack operation={operation} />
          <div className="columns">
            <div className="stack">
              <Waterfall operation={operation} />
              <MessageList operation={operation} />
            </div>
            <div className="stack">
              <OperationFacts operation={operation} />
              <OperationTape operation={operation} />
              <OptionalJson title={texts.request} value={operation.request} />
              <OptionalJson title={texts.response} value={operation.response} />
              <OptionalJson title={texts.facts2} value={operation.meta} />
              <p className="soft">{texts.bodies}</p>
            </div>
          </div>
        </>
      )}
    </DetailScreen>
  );
}

function OptionalJson({ title, value }: { title: string; value: object | null }) {
  if (value === null || Object.keys(value).length === 0) return null;
  return (
    <Card title={title}>
      <JsonView label={title} value={value} />
    </Card>
  );
}
