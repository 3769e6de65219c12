import { errorTable, pathsOf, type RouteDefinition, routes } from "@jackfield/contract";
import { expect, test } from "vitest";
import { renderApiPage } from "./render-api-page.ts";
import { sketchSchema } from "./sketch-schema.ts";

const page = renderApiPage(routes, { version: "1.2.3" });

test("shows every path and every error code", () => {
  const all: readonly RouteDefinition[] = Object.values(routes);
  const missing = all
    .flatMap((route) => pathsOf(route))
    .filter(({ path }) => !page.html.includes(`<code>${path.replace("+}", "}")}</code>`));

  expect(missing).toEqual([]);
  for (const code of Object.keys(errorTable)) expect(page.html).toContain(`<code>${code}</code>`);
});

test("gives a call of each kind as a shell line, which removes nothing by being sent as it is", () => {
  const calls = page.html
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");

  expect(calls).toContain(`curl -X POST "$HOST/connections" \\
  -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"provider_config_key":"github","connection_id":"customer-7","credentials":{"type":"OAUTH2","access_token":"<access_token>"},"metadata":{"plan":"free"},"tags":{"end_user_id":"u1","team":"sales"}}'`);
  expect(calls).toContain(`curl "$HOST/sync/status?syncs=*&amp;provider_config_key=github" \\`);
  expect(calls).toContain(`curl "$HOST/connect/session" \\
  -H "Authorization: Bearer $SESSION_TOKEN"`);
  expect(calls).not.toContain('"reconcile":true');
  expect(calls).not.toContain('"functions":[]');
});

test("each example is taken by its route, or has what the reader replaces in angle brackets", () => {
  const faulty: string[] = [];
  let count = 0;

  for (const [name, route] of Object.entries<RouteDefinition>(routes)) {
    const call = exampleOf(name);
    if (call === undefined) continue;
    count += 1;
    const body: unknown = JSON.parse(/-d '([\s\S]*)'$/.exec(call)?.[1] ?? "null") ?? undefined;
    const { search, pathname } = new URL(/"\$HOST([^"]*)"/.exec(call)?.[1] ?? "/", "http://host");
    const query = Object.fromEntries(new URLSearchParams(search));
    const issues = [
      ...(route.body?.safeParse(body).error?.issues.map(({ path }) => [body, path] as const) ?? []),
      ...(route.query?.safeParse(query).error?.issues.map(({ path }) => [query, path] as const) ??
        []),
    ];
    const unmarked = issues.filter(([value, path]) => !isMarked(value, path));
    if (unmarked.length > 0 || /…/.test(call)) faulty.push(`${name}: ${call}`);
    if (/\{\w+\}/.test(decodeURI(pathname))) faulty.push(`${name}: ${pathname}`);
  }

  expect(count).toBeGreaterThan(150);
  expect(faulty).toEqual([]);
});

/** The example of a route as a reader copies it, with the note about placeholders. */
function exampleOf(name: string): string | undefined {
  const [, part = ""] = page.html.split(`<details id="${name}">`);
  const found = /<pre>(curl [\s\S]*?)<\/pre>(<p class="soft">Replace)?/.exec(
    part.split("</details>")[0] ?? "",
  );
  const [, html = "", note] = found ?? [];
  if (html === "") return undefined;
  const call = html
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
  expect([name, /<\w+>/.test(call)]).toEqual([name, note !== undefined]);
  return call;
}

function isMarked(value: unknown, path: readonly PropertyKey[]): boolean {
  const at = path.reduce<unknown>((inner, step) => Object(inner)[step], value);
  return typeof at === "string" && /^<\w+>$/.test(at);
}

test("names types where they repeat, as links to each with its fields; errors with their meaning", () => {
  const links = [...page.html.matchAll(/href="#type-(\w+)"/g)].map(([, name]) => name);
  const types = [...page.html.matchAll(/id="type-(\w+)"/g)].map(([, name]) => name);

  expect(links.length).toBeGreaterThan(50);
  expect(links.filter((name) => !types.includes(name))).toEqual([]);
  expect(page.html).toContain("<li><code>forbidden</code>: The API key may not do this.</li>");
  expect(page.html).toContain("// Key of its integration.\n  provider_config_key: string");
});

test("runs no script, loads nothing, and its policy says so", () => {
  expect(page.html).not.toMatch(/<script|<link|<img|@import|url\(|\son\w+=/i);
  expect(page.headers["content-security-policy"]).toMatch(
    /^default-src 'none'; style-src 'sha256-/,
  );
});

test.each([
  [{ type: "string" }, "string"],
  [{ type: "string", maxLength: 3 }, "string (at most 3 characters)"],
  [{ type: "string", minLength: 1, maxLength: 3 }, "string (1 to 3 characters)"],
  [{ type: "integer", minimum: 0 }, "integer (at least 0)"],
  [{ enum: ["a", 1] }, '"a" | 1'],
  [
    { type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } },
    "(string | null)[]",
  ],
  [{ type: "object", additionalProperties: { type: "integer" } }, "{ [key]: integer }"],
  [
    { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a"] },
    "{\n  a: string,\n  b?: any\n}",
  ],
  [
    { type: "object", properties: { a: { type: "string", description: "Its name" } } },
    "{\n  // Its name\n  a?: string\n}",
  ],
  [{ $ref: "#/components/schemas/Error" }, "Error"],
])("sketches %j", (schema, sketch) => {
  expect(sketchSchema(schema)).toBe(sketch);
});
