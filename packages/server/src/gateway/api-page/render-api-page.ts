import { createHash } from "node:crypto";
import {
  apiSections,
  buildOpenApi,
  errorTable,
  type RouteDefinition,
  sectionOf,
} from "@jackfield/contract";
import { escapeHtml, withCode } from "./escape-html.ts";
import { linkTypes, newReader, type Reader } from "./reader.ts";
import { renderOperation } from "./render-operation.ts";
import { isType, sketchSchema } from "./sketch-schema.ts";
import { style } from "./style.ts";

export interface ApiPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

/** The API as one page to read: no script, nothing loaded from elsewhere. Made from the contract. */
export function renderApiPage(
  routes: Readonly<Record<string, RouteDefinition>>,
  { version }: { version: string },
): ApiPage {
  const document = buildOpenApi(routes);
  const reader = newReader(document);
  const operations = Object.entries(Object(document["paths"])).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: Object(operation),
    })),
  );
  const sections = apiSections.flatMap((section) => {
    const members = operations.filter(({ path }) => sectionOf(path) === section);
    const calls = members.map((member) => renderOperation(member, reader)).join("");
    const heading = `<h2>${section.name}</h2><p>${escapeHtml(section.description)}</p>`;
    return members.length === 0
      ? []
      : [`<section id="${idOf(section.name)}">${heading}${calls}</section>`];
  });
  const links = [...apiSections.map(({ name }) => name), "types", "errors"].map(
    (name) => `<li><a href="#${idOf(name)}">${name}</a></li>`,
  );
  const about = String(Object(document["info"])["description"]).split("\n\n");
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Jackfield API ${escapeHtml(version)}</title>
<style>${style}</style>
</head>
<body>
<nav aria-label="Sections"><strong>Jackfield API</strong><ul>${links.join("")}</ul></nav>
<main>
<h1>Jackfield API ${escapeHtml(version)}</h1>
<p>The same as OpenAPI 3.1: <a href="../openapi.json">openapi.json</a>.</p>
${about.map((text) => `<p>${withCode(text)}</p>`).join("\n")}
${sections.join("\n")}
${renderTypes(Object(Object(document["components"])["schemas"]), reader)}
${renderErrors()}
</main>
</body>
</html>
`;
  return { headers, html };
}

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
};

function idOf(name: string): string {
  return name.replaceAll(" ", "-");
}

/** What bodies and answers name, each with its fields. */
function renderTypes(schemas: Readonly<Record<string, unknown>>, reader: Reader): string {
  const types = Object.entries(schemas).filter(([, schema]) => isType(schema));
  const parts = types.map(([name, schema]) => {
    const text = Object(schema)["description"];
    const about = typeof text === "string" ? `<p>${withCode(text)}</p>` : "";
    const sketch = linkTypes(escapeHtml(sketchSchema(schema, reader)));
    return `<details id="type-${name}"><summary><code>${name}</code></summary><div>${about}<pre>${sketch}</pre></div></details>`;
  });
  return `<section id="types"><h2>types</h2><p>What bodies and answers refer to by name.</p>${parts.join("")}</section>`;
}

function renderErrors(): string {
  const rows = Object.entries(errorTable).map(
    ([code, [status, message]]) =>
      `<tr><td><code>${code}</code></td><td>${status}</td><td>${escapeHtml(message)}</td></tr>`,
  );
  return `<section id="errors"><h2>errors</h2><p>Codes of <code>error.code</code> with their usual status; a route that answers with another one says so.</p><div class="wide"><table><thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead><tbody>${rows.join("")}</tbody></table></div></section>`;
}
