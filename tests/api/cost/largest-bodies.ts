// The largest bodies that are valid.

const line = "const value = (input) => ({ ok: true, name: 'ä' + input.name, \"q\": `x` });\n";
const echo = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };
module.exports.default = { type: "action", input: any, output: any, exec: async (svc, input) => input };`;

export function newAction(name: string, characters: number) {
  const js = line.repeat(Math.ceil(characters / line.length)) + echo;
  const fileBody = { js: `${js}\n// ${name}`, ts: `${js}\n// source of ${name}` };
  return {
    type: "action",
    syncName: name,
    providerConfigKey: "crm",
    models: [],
    runs: null,
    fileBody,
  };
}

export const largestDeployments = [
  ["one function of 34 MB", 1, 34e6],
  ["400 functions of 80 KB", 400, 80e3],
  ["5,000 functions of 6 KB", 5000, 6e3],
] as const;

/** Of an action that answers with its input. */
export const largestInputs = [
  ["a long text", { text: "x".repeat(10_000_000) }],
  ["a text of escapes", { text: '\u00e4"'.repeat(2_500_000) }],
  [
    "many objects",
    Array.from({ length: 100_000 }, (_, n) => ({ id: n, name: "Ada", mail: `${n}@example.com` })),
  ],
] as const;

/** Body of `POST /sync/deploy`. */
export function newDeployment(send: number, count: number, characters: number) {
  const flowConfigs = Array.from({ length: count }, (_, n) =>
    newAction(`${send}-${count}-${n}`, characters),
  );
  return { flowConfigs, reconcile: false, debug: false };
}
