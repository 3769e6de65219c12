import { errorMessage, isErrorCode } from "@jackfield/contract";
import { escapeHtml, withCode } from "./escape-html.ts";
import type { Operation } from "./example-call.ts";
import { exampleCall } from "./example-call.ts";
import { linkTypes, type Reader } from "./reader.ts";
import { sketchSchema } from "./sketch-schema.ts";

/** One call: what it takes, what it answers, folded until asked for. */
export function renderOperation({ method, path, operation }: Operation, reader: Reader): string {
  const old = operation["deprecated"] === true ? ' <span class="old">deprecated</span>' : "";
  const description = String(operation["description"] ?? "");
  const texts = description === "" ? [] : description.split("\n\n");
  const example = exampleCall({ method, path, operation }, reader);
  return `<details id="${escapeHtml(String(operation["operationId"]))}"><summary><span class="method">${method}</span> ${code(path)}${old}<br><span class="soft">${escapeHtml(String(operation["summary"]))}</span></summary><div>
${texts.map((text) => `<p>${withCode(text)}</p>`).join("")}${renderExample(example)}${renderParameters(listOf(operation["parameters"]), reader)}${renderBody(operation["requestBody"], reader)}${renderResponses(Object(operation["responses"]), reader)}
</div></details>`;
}

function renderParameters(parameters: readonly unknown[], reader: Reader): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map((given) => {
    const { name, in: place, required, schema, description } = reader.resolve(given);
    const need = required === true ? "required" : "";
    const type = code(sketchSchema(schema, reader));
    return `<tr><td>${code(String(name))}</td><td>${escapeHtml(String(place))}</td><td>${need}</td><td>${withCode(String(description))}<br>${linkTypes(type)}</td></tr>`;
  });
  return `<h4>Parameters</h4><div class="wide"><table><tbody>${rows.join("")}</tbody></table></div>`;
}

const hasPlaceholder = /<\w+>/;

function renderExample(example: string | undefined): string {
  if (example === undefined) return "";
  const note = hasPlaceholder.test(example)
    ? '<p class="soft">Replace what is in &lt;angle brackets&gt;.</p>'
    : "";
  return `<pre>${escapeHtml(example)}</pre>${note}`;
}

function renderBody(body: unknown, reader: Reader): string {
  const schema = schemaOf(body);
  return schema === undefined ? "" : `<h4>Body</h4>${renderSchema(schema, reader)}`;
}

/** A schema with its fields, even where it has a name; what it refers to in turn is named. */
function renderSchema(schema: unknown, reader: Reader): string {
  return `<pre>${linkTypes(escapeHtml(sketchSchema(reader.resolve(schema), reader)))}</pre>`;
}

function renderResponses(responses: Readonly<Record<string, unknown>>, reader: Reader): string {
  return Object.entries(responses)
    .map(([status, given]) => {
      const response = reader.resolve(given);
      if (Number(status) >= 400) return `<h4>${status}</h4>${renderCodes(response)}`;
      const schema = schemaOf(response);
      return `<h4>${status}</h4>${schema === undefined ? "" : renderSchema(schema, reader)}`;
    })
    .join("");
}

function renderCodes({ description }: Readonly<Record<string, unknown>>): string {
  const words = [...String(description).matchAll(/`(\w+)`/g)].map(([, word = ""]) => word);
  const lines = words
    .filter(isErrorCode)
    .map((word) => `<li>${withCode(`\`${word}\`: ${errorMessage(word)}`)}</li>`);
  return `<ul>${lines.join("")}</ul>`;
}

function schemaOf(holder: unknown): unknown {
  return Object(Object(Object(holder)["content"])["application/json"])["schema"];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}
