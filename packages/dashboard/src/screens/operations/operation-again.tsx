import type { Operation } from "../../data/operations.ts";
import { Go, type Target } from "../../parts/go.tsx";
import { CopyTestButton } from "../../parts/panels/copy-test.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** What can be done with a call that is over: the same again with another input, or a test of it. */
export function OperationAgain({ operation }: { operation: Operation }) {
  const { operations: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const target = againOf(environment, operation);
  const call = testedOf(operation);
  return (
    <>
      {target !== undefined && (
        <Go className="button" target={target}>
          {texts.again}
        </Go>
      )}
      {call !== undefined && <CopyTestButton call={call} />}
    </>
  );
}

/** The playground with what is known of the call; its input is not, since bodies are not logged. */
export function againOf(environment: string, operation: Operation): Target | undefined {
  const { integration, connection, message } = operation;
  if (integration === null || connection === null) return undefined;
  const to = `${homeOf(environment)}/playground`;
  const place = { integration: integration.name, connection: connection.name };
  const { type } = operation.operation;
  if (operation.function !== null && (type === "action" || type === "sync")) {
    const variant = variantOf(operation);
    return { to, search: { ...place, type, function: operation.function.name, variant } };
  }
  // The call as it was asked for, without its query.
  const [, method, path] = /^([A-Z]+) (\/.*)$/.exec(message) ?? [];
  if (type !== "proxy" || path === undefined) return undefined;
  return { to, search: { ...place, tab: "request", method, path } };
}

/** Of a sync's variant; undefined for the sync itself, and for other functions. */
function variantOf({ meta }: Operation): string | undefined {
  const { variant } = Object(meta);
  return typeof variant === "string" && variant !== "base" ? variant : undefined;
}

function testedOf(tested: Operation) {
  const { id, integration, connection, function: called } = tested;
  const { type, action } = tested.operation;
  // A run for a webhook needs the webhook, which is not in the log.
  const isRun = (type === "action" || type === "sync") && action === "run";
  if (!isRun || integration === null || connection === null || called === null) return undefined;
  return {
    integration: integration.name,
    type,
    name: called.name,
    connection: connection.name,
    variant: variantOf(tested),
    caseName: id,
  } as const;
}
