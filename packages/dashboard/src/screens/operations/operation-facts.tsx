import type { Operation } from "../../data/operations.ts";
import { formatSpan, plainText, shortenId } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { actorOf, causedPage, causeOf, pageOf } from "./operation-words.ts";

/** When it was, what it was about and who caused it. */
export function OperationFacts({ operation }: { operation: Operation }) {
  const { operations: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { integration, connection, function: called, duration_ms: took } = operation;
  const base = homeOf(environment);
  const name = (named: { name: string } | null, to?: string) =>
    named === null ? undefined : to === undefined ? (
      <span className="mono">{plainText(named.name)}</span>
    ) : (
      <Go className="mono" target={{ to }}>
        {plainText(named.name)}
      </Go>
    );
  const inside = (...parts: readonly string[]) =>
    [base, ...parts.map((part) => encodeURIComponent(part))].join("/");
  const causedBy = causeOf(operation);
  const cause = causedBy && (
    <Go target={pageOf(environment, causedBy)} className="mono">
      {shortenId(causedBy)}
    </Go>
  );
  const causes = called !== null && (
    <Go target={causedPage(environment, operation.id)}>{texts.showCaused}</Go>
  );
  const time = (at: string | null) => (at === null ? undefined : <Time at={at} />);
  return (
    <Card title={texts.facts}>
      <Facts
        rows={[
          [
            texts.id,
            <span className="mono" key="id">
              {operation.id}
            </span>,
          ],
          [
            texts.integration,
            name(integration, integration ? inside("integrations", integration.name) : undefined),
          ],
          [
            texts.connection,
            name(
              connection,
              connection && integration
                ? inside("connections", integration.name, connection.name, "overview")
                : undefined,
            ),
          ],
          [texts.function, name(called)],
          [texts.actor, plainText(actorOf(operation) ?? "")],
          [texts.causedBy, cause],
          [texts.causes, causes],
          [texts.created, time(operation.created_at)],
          [texts.waited, waitedOf(operation)],
          [texts.started, time(operation.started_at)],
          [texts.ended, time(operation.ended_at)],
          [texts.took, took === null ? undefined : formatSpan(took)],
          [texts.expires, time(operation.expires_at)],
        ]}
      />
    </Card>
  );
}

/** How long it stood in a queue; nothing when it did not. */
function waitedOf({ created_at: createdAt, started_at: startedAt }: Operation) {
  const waited = startedAt === null ? 0 : Date.parse(startedAt) - Date.parse(createdAt);
  return waited > 0 ? formatSpan(waited) : undefined;
}
