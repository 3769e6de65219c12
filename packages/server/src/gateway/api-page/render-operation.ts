import { escapeHtml, withCode } from "./escape-html.ts";
import { exampleCall } from "./example-call.ts";
import { sketchSchema } from "./sketch-schema.ts";

export interface Operation {
  readonly method: string;
  readonly path: string;
  /** As in the OpenAPI document. */
  readonly operation: Readonly<Record<string, unknown>>;
}

/** One call: what it takes, what it answers, folded until asked for. */
export function renderOperation({ method, path, operation }: Operation): string {
  const old = operation["deprecated"] === true ? ' <span class="old">deprecated</span>' : "";
  const description = String(operation["description"] ?? "");
  const texts = description === "" ? [] : description.split("\n\n");
  const example = exampleCall({ method, path, operation });
  return `<details id="${escapeHtml(String(operation["operationId"]))}"><summary><span class="method">${method}</span> ${code(path)}${old}<br><span class="soft">${escapeHtml(String(operation["summary"]))}</span></summary><div>
${texts.map((text) => `<p>${withCode(text)}</p>`).join("")}${renderExample(example)}${renderParameters(listOf(operation["parameters"]))}${renderBody(operation["requestBody"])}${renderResponses(Object(operation["responses"]))}
</div></details>`;
}

function renderParameters(parameters: readonly unknown[]): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map((given) => {
    const { name, in: place, required, schema, description } = Object(given);
    const need = required === true ? "required" : "";
    return `<tr><td>${code(String(name))}</td><td>${escapeHtml(String(place))}</td><td>${need}</td><td>${withCode(String(description))}<br>${code(sketchSchema(schema))}</td></tr>`;
  });
  return `<h4>Parameters</h4><div class="wide"><table><tbody>${rows.join("")}</tbody></table></div>`;
}

function renderExample(example: string | undefined): string {
  return example === undefined ? "" : `<pre>${escapeHtml(example)}</pre>`;
}

function renderBody(body: unknown): string {
  const schema = schemaOf(body);
  return schema === undefined ? "" : `<h4>Body</h4><pre>${escapeHtml(sketchSchema(schema))}</pre>`;
}

function renderResponses(responses: Readonly<Record<string, unknown>>): string {
  return Object.entries(responses)
    .map(([status, response]) => {
      const isError = Number(status) >= 400;
      const schema = isError ? undefined : schemaOf(response);
      const lines = String(Object(response)["description"]).split("\n");
      const text = isError
        ? `<ul>${lines.map((line) => `<li>${withCode(line)}</li>`).join("")}</ul>`
        : "";
      const sketch = schema === undefined ? "" : `<pre>${escapeHtml(sketchSchema(schema))}</pre>`;
      return `<h4>${status}</h4>${text}${sketch}`;
    })
    .join("");
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
