import { expect, test } from "vitest";
import { bundleFunction } from "../bundle/bundle-function.ts";
import { CompileError } from "../diagnostic.ts";
import { addAction, contactsSync, newProject } from "../project-fixture.ts";
import { describeFunction, type FunctionDescription } from "./describe-function.ts";

async function describe(text: string): Promise<FunctionDescription> {
  const root = newProject({});
  const named = { integrationId: "my-crm", functionName: "contacts" };
  const { code } = await bundleFunction({ ...named, root, source: { text, resolveDir: root } });
  return describeFunction({ ...named, code, file: "my-crm/syncs/contacts.ts" });
}

async function problemsOf(text: string): Promise<string> {
  const error = await describe(text).catch((thrown: unknown) => thrown);
  if (error instanceof CompileError) return error.message;
  throw new Error("it was described");
}

test("describes a sync with its models as JSON Schema", async () => {
  expect(await describe(contactsSync)).toEqual({
    type: "sync",
    description: "Contacts of the CRM",
    frequency: "every 3 week",
    models: ["Contact"],
    input: "SyncMetadata_my_crm_contacts",
    autoStart: true,
    syncType: "full",
    trackDeletes: false,
    hasWebhookHandler: false,
    webhookSubscriptions: [],
    endpoints: [],
    scopes: [],
    features: ["checkpoints"],
    definitions: {
      Contact: {
        type: "object",
        properties: {
          id: { type: "string" },
          name: { type: "string" },
          seen: { type: "string", format: "date-time" },
        },
        required: ["id", "name"],
      },
      SyncMetadata_my_crm_contacts: {
        type: "object",
        properties: { region: { type: "string" } },
        required: ["region"],
      },
    },
  });
});

test("describes an action with the names of its schemas", async () => {
  const description = await describe(addAction.replace("output: z.number()", "output: z.void()"));

  expect(description).toMatchObject({
    type: "action",
    input: "ActionInput_my_crm_contacts",
    output: "ActionOutput_my_crm_contacts",
    features: [],
  });
  expect(description.definitions["ActionOutput_my_crm_contacts"]).toEqual({ type: "null" });
  expect(description.definitions["ActionInput_my_crm_contacts"]).toMatchObject({ required: ["a"] });
});

test("describes what the author says of an action as a tool, and refuses what it does not know", async () => {
  const saying = (agent: string) => addAction.replace("output:", `agent: ${agent}, output:`);

  expect(await describe(saying('{ effect: "read", examples: [{ a: 1 }] }'))).toMatchObject({
    agent: { effect: "read", examples: [{ a: 1 }] },
  });
  expect(await problemsOf(saying('{ effect: "maybe" }'))).toContain("agent.effect");
  expect(await problemsOf(saying("{ readonly: true }"))).toContain("readonly: not known");
});

test("describes an on-event function", async () => {
  const text = `import { createOnEvent } from "jackfield";
    export default createOnEvent({ description: "d", event: "validate-connection", exec: () => {} });`;

  expect(await describe(text)).toMatchObject({ type: "on-event", event: "validate-connection" });
});

test("references of a recursive model point into the document", async () => {
  const text = contactsSync.replace(
    "seen: z.date().optional()",
    "get reports() { return z.array(Contact); }",
  );

  const { definitions } = await describe(text);

  expect(JSON.stringify(definitions["Contact"])).toContain('{"$ref":"#/definitions/Contact"}');
});

test.each([
  ['description: "Contacts of the CRM"', 'description: ""', "description: must not be empty"],
  ["every 3 week", "often", '"often" is not understood'],
  ["every 3 week", "every 5 seconds", "shorter than 30 seconds"],
  ["models: { Contact }", "models: { contact: Contact }", "starts with a capital letter"],
  ["models: { Contact }", "models: {}", "name at least one model"],
  ["id: z.string()", "key: z.string()", "models.Contact needs an `id` that is text"],
  ["id: z.string()", "id: z.number()", "models.Contact needs an `id` that is text"],
  ["models: { Contact }", "models: { Contact: { id: 1 } }", "must be a schema of zod 4"],
  ["exec: async", "run: async", "exec: must be a function"],
  ["autoStart: true", "trackDeletes: true, syncType: 'incremental'", "incremental"],
  ["export default", "export const it =", "the default export must be the result of createSync"],
  ["export default", "throw new Error('early'); export default", "throws when it is loaded: early"],
])("says what is wrong with a definition (%s)", async (from, to, message) => {
  expect(contactsSync).toContain(from);
  const problems = await problemsOf(contactsSync.replace(from, to));

  expect(problems).toContain(message);
  expect(problems).toMatch(/^my-crm\/syncs\/contacts\.ts: /);
});
