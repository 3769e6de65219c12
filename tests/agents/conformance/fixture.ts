// The actions that scenarios of the conformance suite call by their names.

interface FixtureAction {
  readonly name: string;
  readonly description: string;
  /** Body of `async (svc, input) => { … }`. */
  readonly body: string;
  readonly input?: object;
  readonly agent?: object;
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const content = { output: "content" };
const reads = { effect: "read" };

const ask = (question: object) => `await svc.elicit(${JSON.stringify(question)})`;
const form = (properties: object, required?: readonly string[]) => ({
  type: "object",
  properties,
  ...(required === undefined ? {} : { required }),
});
const named = form({ name: { type: "string" } }, ["name"]);

const blocks: readonly FixtureAction[] = [
  {
    name: "test_simple_text",
    description: "Answers a text",
    body: 'return [{ type: "text", text: "This is a simple text response for testing." }];',
    agent: content,
  },
  {
    name: "test_image_content",
    description: "Answers an image",
    body: `return [{ type: "image", data: "${PNG}", mimeType: "image/png" }];`,
    agent: content,
  },
  {
    name: "test_audio_content",
    description: "Answers a sound",
    body: `return [{ type: "audio", data: "${WAV}", mimeType: "audio/wav" }];`,
    agent: content,
  },
  {
    name: "test_embedded_resource",
    description: "Answers a resource",
    body: 'return [{ type: "resource", resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "This is an embedded resource content." } }];',
    agent: content,
  },
  {
    name: "test_multiple_content_types",
    description: "Answers several kinds of content",
    body: `return [
      { type: "text", text: "Multiple content types test:" },
      { type: "image", data: "${PNG}", mimeType: "image/png" },
      { type: "resource", resource: { uri: "test://mixed-content-resource", mimeType: "application/json", text: JSON.stringify({ test: "data", value: 123 }) } },
    ];`,
    agent: content,
  },
  {
    name: "test_error_handling",
    description: "Fails",
    body: 'throw new svc.ActionError({ message: "This tool intentionally returns an error for testing" });',
  },
  {
    name: "test_tool_with_progress",
    description: "Reports its progress",
    body: `for (const progress of [0, 50, 100]) {
      await svc.reportProgress({ progress, total: 100 });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return "done";`,
  },
];

const questions: readonly FixtureAction[] = [
  {
    name: "test_elicitation",
    description: "Asks for a name and an address",
    input: form({ message: { type: "string" } }, ["message"]),
    body: `const answer = await svc.elicit({
      message: input.message,
      schema: ${JSON.stringify(
        form(
          {
            username: { type: "string", description: "User's response" },
            email: { type: "string", description: "User's email address" },
          },
          ["username", "email"],
        ),
      )},
    });
    return "User response: " + JSON.stringify(answer);`,
  },
  {
    name: "test_elicitation_sep1034_defaults",
    description: "Asks with defaults",
    body: `return "Elicitation completed: " + JSON.stringify(${ask({
      message: "Please review",
      schema: form({
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      }),
    })});`,
  },
  {
    name: "test_elicitation_sep1330_enums",
    description: "Asks for choices",
    body: `return "Elicitation completed: " + JSON.stringify(${ask({
      message: "Please choose",
      schema: form({
        untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
        titledSingle: {
          type: "string",
          oneOf: ["First Option", "Second Option", "Third Option"].map((title, index) => ({
            const: `value${index + 1}`,
            title,
          })),
        },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti: {
          type: "array",
          items: { type: "string", enum: ["option1", "option2", "option3"] },
        },
        titledMulti: {
          type: "array",
          items: {
            anyOf: ["First Choice", "Second Choice", "Third Choice"].map((title, index) => ({
              const: `value${index + 1}`,
              title,
            })),
          },
        },
      }),
    })});`,
  },
  {
    name: "test_input_required_result_elicitation",
    description: "Asks for a name",
    body: `const answer = ${ask({ key: "user_name", message: "What is your name?", schema: named })};
    return "Hello, " + (answer.content?.name ?? "nobody") + "!";`,
  },
  {
    name: "test_input_required_result_request_state",
    description: "Asks for a confirmation",
    body: `const answer = ${ask({ key: "confirm", message: "Please confirm", schema: form({ ok: { type: "boolean" } }, ["ok"]) })};
    return answer.action === "accept" ? "state-ok" : "no";`,
  },
  {
    name: "test_input_required_result_tampered_state",
    description: "Asks for a confirmation, too",
    body: `const answer = ${ask({ key: "confirm", message: "Please confirm", schema: form({ ok: { type: "boolean" } }, ["ok"]) })};
    return answer.action;`,
  },
  {
    name: "test_input_required_result_multi_round",
    description: "Asks twice",
    body: `const first = ${ask({ key: "step1", message: "Step 1: What is your name?", schema: named })};
    const second = ${ask({ key: "step2", message: "Step 2: What is your favorite color?", schema: form({ color: { type: "string" } }, ["color"]) })};
    return first.content?.name + " likes " + second.content?.color;`,
  },
];

const diagnostics: readonly FixtureAction[] = [
  {
    name: "test_missing_capability",
    description: "Cannot do without asking",
    body: `return ${ask({ message: "What is your name?", schema: named })};`,
    agent: { asks: true },
  },
  {
    name: "test_streaming_elicitation",
    description: "Asks while it runs",
    body: `return ${ask({ message: "What is your name?", schema: named })};`,
  },
  {
    name: "test_logging_tool",
    description: "Writes to the log",
    body: 'await svc.log("a line"); return "logged";',
  },
];

const resources: readonly FixtureAction[] = [
  {
    name: "static_text",
    description: "A text at an address",
    body: 'return "This is the content of the static text resource.";',
    agent: { ...reads, resource: { uri: "test://static-text", mimeType: "text/plain" } },
  },
  {
    name: "static_binary",
    description: "An image at an address",
    body: `return [{ type: "image", data: "${PNG}", mimeType: "image/png" }];`,
    agent: {
      ...{ ...reads, ...content },
      resource: { uri: "test://static-binary", mimeType: "image/png" },
    },
  },
  {
    name: "template",
    description: "Data by their id",
    input: form({ id: { type: "string" } }, ["id"]),
    body: 'return { id: input.id, templateTest: true, data: "Data for ID: " + input.id };',
    agent: {
      ...reads,
      resource: { uri: "test://template/{id}/data", mimeType: "application/json" },
    },
  },
];

const wait = (ms: string) => `await new Promise((done) => setTimeout(done, ${ms}));`;
/** Longer than a call may take before it is a task; see the setting of the server in the test. */
const long = wait("4000");
const confirmed = form({ confirm: { type: "boolean" } });

/** Before the names of those below: without a session the suite must not find them, and wait for each. */
export const TASK_PREFIX = "task_";

/** Those of the extension for tasks, in a session. */
const tasks: readonly FixtureAction[] = [
  {
    name: "greet",
    description: "Greets",
    input: form({ name: { type: "string" } }),
    body: `return [{ type: "text", text: "Hello, " + input.name + "!" }];`,
    agent: content,
  },
  {
    name: "slow_compute",
    description: "Takes its time",
    input: form({ seconds: { type: "number" }, label: { type: "string" } }),
    body: `if (input.seconds > 0) { ${wait("input.seconds * 1000 + 3500")} } return "computed";`,
  },
  {
    name: "failing_job",
    description: "Fails after a while",
    body: `${long} throw new svc.ActionError({ message: "The job has failed" });`,
  },
  {
    name: "protocol_error_job",
    description: "Breaks after a while",
    body: `${long} throw new Error("broken");`,
  },
  {
    name: "confirm_delete",
    description: "Asks after a while",
    input: form({ filename: { type: "string" } }),
    body: `${long} return ${ask({ message: "Delete it?", schema: confirmed })};`,
  },
  {
    name: "multi_input",
    description: "Asks two things after a while",
    body: `${long} return await Promise.all([${[1, 2]
      .map(
        (n) =>
          `svc.elicit({ key: "q${n}", message: "Sure?", schema: ${JSON.stringify(confirmed)} })`,
      )
      .join(", ")}]);`,
  },
  {
    name: "test_tool_with_task",
    description: "Asks, and then takes its time",
    body: `const answer = ${ask({ key: "user_name", message: "What is your name?", schema: named })};
    ${long} return "Hello, " + answer.content?.name;`,
  },
];

const any =
  "const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };";

function prefixed(action: FixtureAction): FixtureAction {
  return { ...action, name: `${TASK_PREFIX}${action.name}` };
}

/** The body of a deployment. */
export const deployment = {
  flowConfigs: [...blocks, ...questions, ...diagnostics, ...resources, ...tasks.map(prefixed)].map(
    ({ name, description, body, input = form({}), agent }) => ({
      ...{ type: "action", syncName: name, providerConfigKey: "fixture", models: [], runs: null },
      ...{ input: "In", models_json_schema: { definitions: { In: input } } },
      ...(agent === undefined ? {} : { agent }),
      metadata: { description },
      fileBody: {
        js: `${any} module.exports.default = { type: "action", input: any, output: any, exec: async (svc, input) => { ${body} } };`,
        ts: "",
      },
    }),
  ),
  reconcile: false,
};
