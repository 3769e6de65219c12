import { escapeHtml } from "./escape-html.ts";
import { sketchSchema } from "./sketch-schema.ts";

interface Operation {
  readonly method: string;
  readonly path: string;
  /** As in the OpenAPI document. */
  readonly operation: Readonly<Record<string, unknown>>;
}

/** One call: what it takes, what it answers, folded until asked for. */
export function renderOperation({ method, path, operation }: Operation): string {
  const old = operation["deprecated"] === true ? ' <span class="old">deprecated</span>' : "";
  const scopes = listOf(operation["x-scopes"]).map((scope) => code(String(scope)));
  const needs = scopes.length === 0 ? "" : `<p>Needs the scope ${scopes.join(" or ")}.</p>`;
  const description = operation["description"];
  return `<details id="${escapeHtml(String(operation["operationId"]))}"><summary><span class="method">${method}</span> ${code(path)}${old}<br><span class="soft">${escapeHtml(String(operation["summary"]))}</span></summary><div>
${description === undefined ? "" : `<p>${withCode(String(description))}</p>`}${needs}${renderParameters(listOf(operation["parameters"]))}${renderBody(operation["requestBody"])}${renderResponses(Object(operation["responses"]))}
</div></details>`;
}

function renderParameters(parameters: readonly unknown[]): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map((given) => {
    const { name, in: place, required, schema, description } = Object(given);
    const need = required === true ? "required" : "";
    return `<tr><td>${code(String(name))}</td><td>${escapeHtml(String(place))}</td><td>${need}</td><td>${description === undefined ? code(sketchSchema(schema)) : withCode(String(description))}</td></tr>`;
  });
  return `<h4>Parameters</h4><div class="wide"><table><tbody>${rows.join("")}</tbody></table></div>`;
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

function withCode(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}
