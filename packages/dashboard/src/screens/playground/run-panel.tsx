import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { dryRun, type RunWish, realRun } from "../../data/functions/dry-runs.ts";
import {
  type DeployedFunction,
  type FunctionName,
  functionCodeQuery,
} from "../../data/functions/functions.ts";
import { fieldsOf, schemaOf } from "../../data/functions/json-schema.ts";
import { queryClient } from "../../data/query-client.ts";
import { referenceOf } from "../../data/syncs.ts";
import { plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import {
  CodeButton,
  type CodeExample,
  cliOf,
  curlOf,
  nodeOf,
  quote,
} from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { CopyTestButton } from "../../parts/panels/copy-test.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { playgroundTexts } from "../../texts/screens/functions/playground.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { InputControls, useInput } from "./input-controls.tsx";
import type { Asked } from "./live-run.tsx";
import { addTried, type Tried, takeAgain } from "./run-history.ts";
import { type Outcome, RunResult } from "./run-result.tsx";

/** The input of a function, the ways to run it, and what came of it. */
export function RunPanel({
  name,
  own,
  variant,
  connection,
  taken,
}: {
  name: FunctionName;
  own: DeployedFunction;
  variant: string | undefined;
  connection: string | undefined;
  taken: Tried | undefined;
}) {
  const texts = useTextsOf(playgroundTexts);
  const { name: environment } = useEnvironment();
  const isAction = name.type === "action";
  const fields = isAction ? fieldsOf(own.json_schema, schemaOf(own.json_schema, own.input)) : [];
  const input = useInput(fields, taken?.input);
  const [asked, setAsked] = useState<Asked>();
  const run = useMutation({
    mutationFn: async (kind: Outcome["kind"]): Promise<Outcome> => {
      const { integration, type } = name;
      const wish: RunWish = {
        ...{ integration, type, name: name.name, variant },
        connection: connection ?? "",
        input: input.value,
      };
      const called = { integration, type, function: name.name, variant };
      const entry = { environment, kind, called, connection: wish.connection, input: input.text };
      const now = { kind, wish, at: Date.now() };
      setAsked(now);
      const title = `${integration}/${name.name}${variant === undefined ? "" : `::${variant}`}`;
      try {
        const onOutput = (output: string) => setAsked({ ...now, output });
        const outcome = await runOnce(environment, { kind, name, wish, onOutput });
        const isGood = outcome.kind === "real" || outcome.run.status === "success";
        addTried({ ...entry, title, isGood });
        return outcome;
      } catch (error) {
        addTried({ ...entry, title, isGood: false });
        throw error;
      }
    },
  });
  const isReady = connection !== undefined && input.isGood;
  // "Run again" has filled in the form: what saves nothing then runs, and the rest waits for its button.
  const isAgain = taken !== undefined && taken.kind === "dry" && isReady;
  const { mutate } = run;
  useEffect(() => {
    if (isAgain && takeAgain(taken.id)) mutate("dry");
  }, [isAgain, taken, mutate]);
  return (
    <div className="columns even">
      <Card
        title={texts.input}
        actions={
          <span className="row">
            {connection !== undefined && (
              <CopyTestButton
                call={{
                  ...{ ...name, variant, connection, caseName: "run" },
                  input: JSON.stringify(input.value),
                }}
              />
            )}
            <Examples name={name} variant={variant} connection={connection} input={input.value} />
          </span>
        }
      >
        <div className="stack padded">
          {!isAction || own.input === undefined ? (
            <p className="soft">{texts.noInput}</p>
          ) : (
            <InputControls fields={fields} input={input} />
          )}
          <RunButtons
            name={name}
            connection={connection}
            isReady={isReady}
            isPending={run.isPending}
            onRun={run.mutate}
          />
        </div>
      </Card>
      <RunResult error={run.error} outcome={run.data} isPending={run.isPending} asked={asked} />
    </div>
  );
}

async function runOnce(
  environment: string,
  {
    kind,
    name,
    wish,
    onOutput,
  }: {
    kind: Outcome["kind"];
    name: FunctionName;
    wish: RunWish;
    onOutput: (output: string) => void;
  },
): Promise<Outcome> {
  if (kind === "real") return { kind, answer: await realRun(environment, wish) };
  const code = await queryClient.fetchQuery(functionCodeQuery(environment, name));
  return { kind, run: await dryRun(environment, { code, wish }, onOutput) };
}

function RunButtons({
  name,
  connection,
  isReady,
  isPending,
  onRun,
}: {
  name: FunctionName;
  connection: string | undefined;
  isReady: boolean;
  isPending: boolean;
  onRun: (kind: Outcome["kind"]) => void;
}) {
  const texts = useTextsOf(playgroundTexts);
  const { name: environment, is_production: isProduction } = useEnvironment();
  const executing =
    name.type === "sync" ? "environment:syncs:execute" : "environment:actions:execute";
  return (
    <>
      <div className="row">
        <ScopedButton
          scope={["environment:functions:dryrun", "environment:functions:read"]}
          look="primary"
          isDisabled={!isReady}
          isPending={isPending}
          onPress={() => onRun("dry")}
        >
          {texts.dryRun}
        </ScopedButton>
        {isProduction ? (
          <ConfirmButton
            label={texts.realRun}
            title={texts.runIn(environment)}
            look=""
            scope={executing}
            isDisabled={!isReady}
            text={texts.confirmRun(plainText(name.name, 80), plainText(connection ?? "", 80))}
            confirm={texts.runIn(environment)}
            onConfirm={async () => onRun("real")}
          />
        ) : (
          <ScopedButton scope={executing} isDisabled={!isReady} onPress={() => onRun("real")}>
            {texts.realRun}
          </ScopedButton>
        )}
      </div>
      <p className="soft">{connection === undefined ? texts.connectionFirst : texts.dryRunHelp}</p>
    </>
  );
}

function Examples({
  name,
  variant = "base",
  connection,
  input,
}: {
  name: FunctionName;
  variant: string | undefined;
  connection: string | undefined;
  input: unknown;
}) {
  const { name: environment } = useEnvironment();
  const id = connection ?? "<connection>";
  if (name.type !== "action") {
    const syncs = [referenceOf({ name: name.name, variant })];
    const body = { provider_config_key: name.integration, connection_id: id, syncs };
    const given = { providerConfigKey: name.integration, connectionId: id, syncs };
    return (
      <CodeButton
        examples={[
          curlOf("triggerSyncs", environment, { body: Object(body) }),
          nodeOf(environment, `syncs.trigger(${JSON.stringify(given)})`),
          ...(name.type === "sync" ? [triggerCommand(environment, name, id)] : []),
        ]}
      />
    );
  }
  const body = {
    provider_config_key: name.integration,
    connection_id: id,
    action_name: name.name,
    input,
  };
  const given = {
    providerConfigKey: name.integration,
    connectionId: id,
    action: name.name,
    input,
  };
  return (
    <CodeButton
      examples={[
        curlOf("triggerAction", environment, { body }),
        nodeOf(environment, `actions.trigger(${JSON.stringify(given)})`),
        triggerCommand(environment, name, id, input),
      ]}
    />
  );
}

function triggerCommand(
  environment: string,
  { integration, type, name }: FunctionName,
  connection: string,
  input?: unknown,
): CodeExample {
  const given = input === undefined ? [] : [`--input ${quote(JSON.stringify(input))}`];
  const called = [quote(`${integration}/${name}`), quote(connection), `--${type}`];
  return cliOf(["trigger", ...called, ...given, `--environment ${quote(environment)}`].join(" "));
}
