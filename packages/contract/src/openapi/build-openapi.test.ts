import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import * as z from "zod";
import { defineRoute, pathsOf, type RouteDefinition, routes } from "../index.ts";
import { buildOpenApi } from "./build-openapi.ts";
import { findUndescribed } from "./find-undescribed.ts";
import { resolveReference } from "./resolve-reference.ts";

const document = buildOpenApi(routes);

test("the document is valid OpenAPI 3.1, and every route is in it", async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));

  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  const described = Object.keys(Object(document["paths"]));
  const all: readonly RouteDefinition[] = Object.values(routes);
  const wanted = all.flatMap((route) => pathsOf(route).map(({ path }) => path.replace("+}", "}")));
  expect(new Set(described)).toEqual(new Set(wanted));
});

test("no two operations share an id, and each path parameter is declared", () => {
  const operations = Object.entries(Object(document["paths"])).flatMap(([path, methods]) =>
    Object.values(Object(methods)).map((operation) => ({ path, ...Object(operation) })),
  );

  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, parameters } of operations) {
    const all = parameters.map((given: unknown) => resolveReference(document, given));
    const inPath = all.filter((given: { in: string }) => given.in === "path");
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]: RegExpMatchArray) => name);
    expect(inPath.map(({ name }: { name: string }) => name).toSorted()).toEqual(names.toSorted());
  }
});

test("everything that is sent and answered is described, at any depth", () => {
  expect(findUndescribed(document)).toEqual([]);
});

test("every answer that refuses is a shared one", () => {
  const { paths } = Object(document);
  const answers = Object.values<object>(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, responses }) =>
      Object.entries<object>(responses).map(([status, answer]) => ({
        operationId,
        status,
        answer,
      })),
    ),
  );

  const refusals = answers.filter(({ status }) => Number(status) >= 400);
  expect(new Set(refusals.map(({ status }) => status))).toContain("405");
  expect(refusals.filter(({ answer }) => !("$ref" in answer))).toEqual([]);
});

test("what is described as deprecated is marked as deprecated, so that tools see it", () => {
  const unmarked: unknown[] = [];
  const look = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    const { description, deprecated } = Object(value);
    const isDescribed = typeof description === "string" && description.startsWith("Deprecated:");
    if (isDescribed && deprecated !== true) unmarked.push(value);
    for (const inner of Object.values(value)) look(inner);
  };

  look(document);

  expect(JSON.stringify(document)).toContain('"deprecated":true,"description":"Deprecated:');
  expect(unmarked).toEqual([]);
});

const route = defineRoute({
  method: "POST",
  path: "/environments/things",
  summary: "Make a thing",
  principals: ["environment"],
  scope: "environment:proxy",
  body: z.strictObject({ name: z.string() }),
  success: { status: 200 },
  errors: ["conflict", { code: "unknown_connection", status: 400 }],
  idempotent: true,
  aliases: ["/environments/old-things"],
  messageNextToError: true,
});

test("says what a route takes and answers beyond its own declaration", () => {
  const document = buildOpenApi({ makeThing: route });

  const { paths } = Object(document);
  const { parameters, responses } = paths["/environments/things"].post;
  expect(parameters).toMatchObject([{ $ref: "#/components/parameters/header.Idempotency-Key" }]);
  expect(Object.keys(responses)).toEqual("200 400 401 403 409 413 415 422 429 500".split(" "));
  const badRequest = resolveReference(document, responses[400]);
  expect(badRequest["description"]).toContain("`unknown_connection`");
  expect(responses[400].$ref).toBe("#/components/responses/BadRequestWithMessage");
  expect(paths["/environments/old-things"].post).toMatchObject({
    operationId: "makeThing_alias1",
    deprecated: true,
  });
});

test("a field without a description is found wherever it is", () => {
  const named = z.strictObject({ name: z.string() }).meta({ id: "Named" });
  const undescribed = defineRoute({
    ...route,
    aliases: [],
    query: z.strictObject({ limit: z.string().optional() }),
    body: z.strictObject({
      list: z.array(z.strictObject({ deep: z.string() })).describe("A list."),
      table: z.record(z.string(), z.union([z.null(), named])).describe("A table."),
      kind: z.string().describe("kind"),
    }),
    success: { status: 200, schema: z.strictObject({ data: named.describe("What was made.") }) },
  });

  expect(findUndescribed(buildOpenApi({ makeThing: undescribed }))).toEqual([
    "POST /environments/things: parameter limit",
    "POST /environments/things: body.list[].deep",
    "POST /environments/things: body.kind",
    "Named.name",
  ]);
});

test("a schema with an id is in the document once for each form that it has", () => {
  const settings = z
    .strictObject({ mode: z.string().default("on").describe("The mode.") })
    .meta({ id: "Settings" });
  const holder = z
    .strictObject({ settings: settings.describe("The settings.") })
    .meta({ id: "Holder" });
  const key = z
    .string()
    .max(9)
    .meta({ id: "Key", description: "A key.", examples: ["k"] });
  const both = defineRoute({
    ...route,
    aliases: [],
    query: z.strictObject({ key }),
    body: holder,
    success: { status: 200, schema: z.strictObject({ data: holder.nullable().describe("It.") }) },
  });

  const { components, paths } = Object(buildOpenApi({ makeThing: both }));

  const names = Object.keys(components.schemas);
  const own = names.filter((name) => !name.startsWith("Error"));
  expect(own).toEqual(["Holder", "HolderInput", "Key", "Settings", "SettingsInput"]);
  expect(components.schemas.HolderInput.properties.settings).toEqual({
    $ref: "#/components/schemas/SettingsInput",
    description: "The settings.",
  });
  const { parameters, requestBody } = paths["/environments/things"].post;
  expect(requestBody.content["application/json"].schema).toEqual({
    $ref: "#/components/schemas/HolderInput",
  });
  expect(parameters[0]).toEqual({
    name: "key",
    in: "query",
    required: true,
    description: "A key.",
    example: "k",
    schema: { $ref: "#/components/schemas/Key" },
  });
});

test("the document has the version of the API, not of the server", () => {
  expect(Object(document)["info"].version).toBe("1.0.0");
});
