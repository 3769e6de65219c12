import { cleanText, presentOperation } from "@jackfield/functions/openapi";
import type { ActionPlan } from "../operations/plan-action.ts";
import { indent, toLiteral } from "./literals.ts";
import { markText } from "./marker.ts";
import { writeExec } from "./write-exec.ts";

/** The file, next to the folder of actions, that the sources of actions import. */
export const REQUEST_FILE = "openapi-request";

/** The whole source of an action's file; `title` is the document's. */
export function writeAction(plan: ActionPlan, title: string): string {
  const { operation, input, notes } = plan;
  const call = cleanText(presentOperation(operation), 300);
  const exec = writeExec(plan);
  const helpers = [
    ...exec.matchAll(/\b(collectPages|fromBase64|headerText|pathPart|toForm|toParts|toQuery)\(/g),
  ]
    .map(([, name = ""]) => name)
    .toSorted();
  const used = [...new Set(helpers)].join(", ");
  return markText(`// ${call} of ${title}.
${notes.map((note) => `// Left open: ${note}.\n`).join("")}import { createAction } from "jackfield";
import * as z from "zod";
${used === "" ? "" : `import { ${used} } from "../${REQUEST_FILE}.js";\n`}
export default createAction({
  description: ${toLiteral(plan.description)},
  agent: { ${writeHints(plan)} },
  input: ${input.fields.length === 0 ? "z.void()" : indent(`z.object({\n${indent(input.fields.join("\n"))}\n})`).trimStart()},
  output: ${indent(writeOutput(plan)).trimStart()},

${indent(exec)},
});
`);
}

const idempotent: ReadonlySet<string> = new Set(["get", "head", "put", "delete"]);

function writeHints({ effect, title, operation }: ActionPlan): string {
  const repeats = idempotent.has(operation.method) ? ", idempotent: true" : "";
  return `effect: "${effect}", title: ${toLiteral(title)}${repeats}`;
}

function writeOutput({ answer, output }: ActionPlan): string {
  switch (answer.kind) {
    case "json":
      return answer.mayBeEmpty && output !== "z.unknown()" ? `${output}.nullable()` : output;
    case "text":
      return "z.string()";
    case "bytes":
      return "z.object({ content_type: z.string(), base64: z.string() })";
    case "headers":
      return "z.object({ status: z.number(), headers: z.record(z.string(), z.unknown()) })";
    case "nothing":
      return "z.void()";
    case "unknown":
      return "z.unknown()";
  }
}
