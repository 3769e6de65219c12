import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import * as z from "zod";
import { buildOpenApi, defineRoute, pathsOf, type RouteDefinition, routes } from "./index.ts";

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
    const inPath = parameters.filter((given: { in: string }) => given.in === "path");
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]: RegExpMatchArray) => name);
    expect(inPath.map(({ name }: { name: string }) => name).toSorted()).toEqual(names.toSorted());
  }
});

test("every field that a caller sends is described, on the first level", () => {
  const missing = Object.values(Object(document["paths"]))
    .flatMap((methods) => Object.values(Object(methods)))
    .flatMap((operation) => {
      const { operationId, parameters, requestBody } = Object(operation);
      const { schema } = Object(requestBody?.content?.["application/json"]);
      const fields = Object.entries(Object(schema?.properties));
      const described = [
        ...fields.map(([name, field]) => ({ name, ...Object(field) })),
        ...parameters,
      ];
      return described
        .filter(({ description }) => description === undefined)
        .map(({ name }) => `${operationId}.${name}`);
    });

  expect(missing).toEqual([]);
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
  const { paths } = Object(buildOpenApi({ makeThing: route }));

  const { parameters, responses } = paths["/environments/things"].post;
  expect(parameters).toMatchObject([{ name: "Idempotency-Key", in: "header", required: false }]);
  expect(Object.keys(responses)).toEqual("200 400 401 403 409 413 415 422 429 500".split(" "));
  expect(responses[400].description).toContain("`unknown_connection`");
  expect(responses[400].content["application/json"].schema).toEqual({
    $ref: "#/components/schemas/ErrorWithMessage",
  });
  expect(paths["/environments/old-things"].post).toMatchObject({
    operationId: "makeThing_alias1",
    deprecated: true,
  });
});

test("the document has the version of the API, not of the server", () => {
  expect(Object(document)["info"].version).toBe("1.0.0");
});
