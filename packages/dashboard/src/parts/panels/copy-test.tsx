import type { FunctionName } from "../../data/functions/functions.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { CopyButton } from "../copy-button.tsx";
import { cliOf, quote } from "./code-panel.tsx";
import { DialogButton } from "./dialog-button.tsx";

/** A call of a function that a test is to repeat. */
export interface TestedCall extends FunctionName {
  readonly connection: string;
  /** As JSON; undefined where it is not known. */
  readonly input?: string | undefined;
  readonly variant?: string | undefined;
  /** Name of the recording. */
  readonly caseName: string;
}

/** How a call becomes a test of the project of functions: what records the provider's answers, and the file. */
export function CopyTestButton({ call }: { call: TestedCall }) {
  const { functions: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const command = cliOf(recordingOf(environment, call)).text;
  const file = testOf(call);
  return (
    <DialogButton label={texts.copyTest} isWide>
      {() => (
        <div className="stack">
          <p>{texts.testRecord}</p>
          <CodeBlock label={texts.testCommand} text={command} />
          {call.type === "action" && call.input === undefined && (
            <p className="soft">{texts.testInput}</p>
          )}
          <p>{texts.testFile(`${call.integration}/tests/${call.name}.test.ts`)}</p>
          <CodeBlock label={texts.testText} text={file} />
        </div>
      )}
    </DialogButton>
  );
}

function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    <section aria-label={label}>
      <pre className="code">{text}</pre>
      <CopyButton text={() => text} />
    </section>
  );
}

function recordingOf(environment: string, call: TestedCall): string {
  const { integration, type, name, connection, input, variant, caseName } = call;
  return [
    `dryrun ${quote(`${integration}/${folders[type] ?? "actions"}/${name}`)} ${quote(connection)}`,
    `--environment ${quote(environment)} --save --case ${quote(caseName)}`,
    ...(variant === undefined || variant === "base" ? [] : [`--variant ${quote(variant)}`]),
    ...(type === "action" ? [`--input ${quote(input ?? "{}")}`] : []),
  ].join(" ");
}

const folders: Readonly<Record<string, string>> = {
  sync: "syncs",
  action: "actions",
  "on-event": "on-events",
};

/** The file that `jackfield generate tests` writes. */
function testOf({ integration, type, name }: FunctionName): string {
  return `import { replay } from "jackfield/test";
import { expect, test } from "vitest";
import definition from "../${folders[type] ?? "actions"}/${name}.js";

test("${integration}/${name} does with the recorded answers what it did", async () => {
  const recording = new URL("./${name}.test.json", import.meta.url);

  expect(await replay(definition, recording)).toEqual([]);
});
`;
}
