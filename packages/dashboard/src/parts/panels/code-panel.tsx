import { lazy, Suspense } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, DialogTrigger } from "react-aria-components/Dialog";
import { Popover } from "react-aria-components/Popover";
import { addressOf, type CallOf, type RouteName } from "../../data/api.ts";
import { apiAddress } from "../../start/base-path.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** A call of the API, as code in the ways in which users make it. */
export interface CodeExample {
  readonly name: string;
  readonly text: string;
}

// Loaded once a panel is opened.
const CodeTabs = lazy(async () => ({ default: (await import("../code/code-tabs.tsx")).CodeTabs }));

/** `</>`: what the page shows, or is about to do, as code. */
export function CodeButton({
  examples,
  text,
}: {
  examples: readonly CodeExample[];
  /** Said in place of what holds for most pages. */
  text?: string;
}) {
  const { tables } = useTexts();
  return (
    <DialogTrigger>
      <Button className="button" aria-label={tables.code}>
        <span aria-hidden="true">{"</>"}</span>
      </Button>
      <Popover className="popover code-panel" placement="bottom end">
        <Dialog aria-label={tables.code}>
          <p className="soft">{text ?? tables.codeText}</p>
          <Suspense fallback={null}>
            <CodeTabs examples={examples} />
          </Suspense>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

/** The variable in which documentation and `.env` keep the key of an environment. */
export function keyVariable(environment: string): string {
  return `SVC_SECRET_KEY_${environment.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
}

/** A call with curl; `Authorization` holds a key, since a session is a browser's alone. */
export function curlOf<Name extends RouteName>(
  name: Name,
  environment: string,
  call: Pick<CallOf<Name>, "params" | "query" | "body" | "headers"> = {},
): CodeExample {
  const { method, path } = addressOf(name, call);
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quote(`${apiAddress}${path}`)}`,
    `-H "Authorization: Bearer $${keyVariable(environment)}"`,
  ];
  for (const [header, value] of Object.entries(call.headers ?? {})) {
    lines.push(`-H ${quote(`${header}: ${value}`)}`);
  }
  if (call.body !== undefined) {
    lines.push('-H "Content-Type: application/json"', `-d ${quote(JSON.stringify(call.body))}`);
  }
  return { name: "curl", text: lines.join(" \\\n  ") };
}

/** A call with the client for Node. */
export function nodeOf(environment: string, expression: string): CodeExample {
  return {
    name: "Node",
    text: [
      'import { Jackfield } from "@jackfield/node";',
      "",
      "const jackfield = new Jackfield({",
      `  host: ${JSON.stringify(apiAddress)},`,
      `  apiKey: process.env.${keyVariable(environment)},`,
      "});",
      `const answer = await jackfield.${expression};`,
    ].join("\n"),
  };
}

/** A call with a method of the client for Node and these values. */
export function nodeCall(environment: string, method: string, ...given: unknown[]): CodeExample {
  return nodeOf(environment, `${method}(${given.map((one) => JSON.stringify(one)).join(", ")})`);
}

/** A call that the client for Node has no method for. */
export function fetchOf<Name extends RouteName>(
  name: Name,
  environment: string,
  call: Pick<CallOf<Name>, "params" | "query"> = {},
): CodeExample {
  const { path } = addressOf(name, call);
  return {
    name: "Node",
    text: [
      `const response = await fetch(${JSON.stringify(`${apiAddress}${path}`)}, {`,
      `  headers: { authorization: \`Bearer \${process.env.${keyVariable(environment)}}\` },`,
      "});",
      "const answer = await response.json();",
    ].join("\n"),
  };
}

export function cliOf(command: string): CodeExample {
  return { name: "CLI", text: `npx jackfield ${command}` };
}

/** One word for a shell: its text is never read as a command. */
export function quote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
