import { expect, test } from "vitest";
import { presentTool } from "../deployed/present-tools.ts";
import type { ActionDefinition, DeployedAction } from "../deployed-function.ts";
import { toActionTool } from "./action-tool.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { presentToolFor } from "./present-tool-for.ts";
import { resolveReferences } from "./resolve-references.ts";
import { slimSchema, standAlone } from "./slim-schema.ts";

function actionOf(input: object, change: Partial<ActionDefinition> = {}): DeployedAction {
  return {
    ...{ id: 1, integrationId: 1, type: "action", name: "act", version: "1", enabled: true },
    ...{ source: "repo", bundleSha256: Buffer.alloc(32), deployedAt: new Date(0) },
    definition: {
      ...{ description: "Acts", scopes: [], endpoints: [], attributes: {}, features: [] },
      ...{ models: [], input: "In", jsonSchema: { In: { ...input }, ...change.jsonSchema } },
      ...(change.agent === undefined ? {} : { agent: change.agent }),
    },
  };
}

const address = {
  type: "object",
  properties: { city: { type: "string", description: "Where" } },
  required: ["city"],
};

test("parameters behind references keep their type, and nested ones their fields", () => {
  const input = {
    type: "object",
    properties: {
      address: { $ref: "#/definitions/Address" },
      owner: { type: "object", properties: { id: { type: "string" } } },
    },
    required: ["address"],
  };

  const tool = presentTool(actionOf(input, { jsonSchema: { Address: address } }));

  expect(tool?.parameters).toEqual({
    type: "object",
    properties: {
      address: { ...address, description: "" },
      owner: { type: "object", properties: { id: { type: "string" } }, description: "" },
    },
    required: ["address"],
  });
});

test("a scalar is wrapped in a field, and a union keeps its branches", () => {
  const branches = [address, { type: "object", properties: { id: { type: "number" } } }];

  expect(presentTool(actionOf({ type: "number" }))?.parameters).toMatchObject({
    properties: { value: { type: "number", description: "" } },
    required: ["value"],
  });
  expect(presentTool(actionOf({ oneOf: branches }))?.parameters).toEqual({
    ...{ type: "object", properties: {}, required: [], oneOf: branches },
  });
});

test("an action that its author keeps back is no tool", () => {
  expect(presentTool(actionOf(address, { agent: { expose: false } }))).toBeUndefined();
});

test("each API gets its own form", () => {
  const tool = toActionTool(
    actionOf(address, { agent: { effect: "read", examples: [{ city: "x" }] } }),
  );

  expect(presentToolFor("openai", "crm_act", tool)).toMatchObject({
    ...{ type: "function", name: "crm_act", parameters: { type: "object" }, strict: false },
  });
  expect(presentToolFor("anthropic", "crm_act", tool)).toEqual({
    ...{ name: "crm_act", description: "Acts" },
    ...{ input_schema: address, input_examples: [{ city: "x" }] },
  });
  expect(presentToolFor("mcp", "crm_act", tool)).toMatchObject({
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  });
});

test("a schema that points at itself ends", () => {
  const node = { type: "object", properties: { next: { $ref: "#/definitions/Node" } } };

  const resolved = JSON.stringify(resolveReferences(standAlone(node, { Node: node })));

  expect(resolved).not.toContain("$ref");
  expect(resolved.match(/next/g)?.length).toBeGreaterThan(2);
});

test("slimming leaves properties that are called like keywords", () => {
  const schema = {
    ...{ type: "object", $schema: "x" },
    properties: { pattern: { type: "string" }, minimum: { type: "number" } },
    examples: [{ minimum: Number.MIN_SAFE_INTEGER }],
  };

  expect(slimSchema(schema)).toEqual({
    ...{ type: "object", properties: schema.properties, examples: schema.examples },
  });
});

test("tokens are estimated by the bytes of compact JSON", () => {
  expect(estimateTokens({ a: "é" })).toBe(3);
});
