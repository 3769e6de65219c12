import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { AppError, type EnvironmentContext } from "#foundation";
import { createSandbox, type Sandbox } from "#foundation/sandbox";
import { createTestContext, type TestContext } from "#foundation/testing";
import { compileSource } from "./jobs/compiling/compile-source.ts";

let dataDir: string;
let sandbox: Sandbox;
let app: TestContext;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "compile-source-"));
  sandbox = await createSandbox({ dataDir, log: () => {} });
  app = await createTestContext({ sandbox });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await sandbox[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

function newAction(statements: string, before = ""): string {
  return `import { createAction } from "jackfield";
import { z } from "zod";
${before}
export default createAction({
  description: "Acts",
  input: z.object({ a: z.number() }),
  output: z.number(),
  exec: async (svc, input) => {
    ${statements}
  },
});
`;
}

async function compile(source: string, ctx: EnvironmentContext = app.ctx) {
  const subject = { integrationKey: "crm", functionName: "act", source };
  try {
    const { code } = await compileSource(ctx, subject, { isQueued: false });
    return { code };
  } catch (error) {
    return { error };
  }
}

const refusal = (details: readonly object[]) => ({ error: { code: "compilation_error", details } });

test("a wrong type and a forgotten await are refused with their lines", async () => {
  const wrong = await compile(
    newAction('const total: number = "é💥" + input.a;\n    svc.log(total);\n    return total;'),
  );
  const fine = await compile(
    newAction(
      'await svc.log(new URL("https://example.com"));\n    return createHash("sha256").digest().length;',
      'import { createHash } from "node:crypto";',
    ),
  );

  expect(wrong).toMatchObject(
    refusal([
      { line: 9, column: 11, message: "TS2322: Type 'string' is not assignable to type 'number'." },
      { line: 10, column: 5, message: expect.stringContaining("svc.log is not awaited") },
    ]),
  );
  expect(fine).toEqual({ code: expect.any(String) });
});

test("nothing of the server's files is read for a text, however it refers to them", async () => {
  await writeFile(join(dataDir, "secret.ts"), 'export const secret = "canary-value" as const;');
  await writeFile(join(dataDir, "secret.json"), '{ "secret": "canary-value" }');
  await writeFile(join(dataDir, "leak.d.ts"), 'declare const leaked: "canary-value";');
  await writeFile(join(dataDir, "index.d.ts"), 'declare const leaked: "canary-value";');
  const up = `../../../../..${dataDir}`;
  const paths = [`${dataDir}/secret.ts`, `${dataDir}/secret.json`, `${dataDir}/secret`];
  // With the directives fewer than the problems that an answer tells of.
  const specifiers = [
    ...[...paths, `file://${dataDir}/secret.ts`, `${up}/secret.ts`, `${up}/secret.json`],
    ...["/etc/passwd", "/proc/self/environ", "pg", "zod/../../package.json"],
    `/node_modules/zod/../../../..${dataDir}/secret.ts`,
    `/node_modules/@jackfield/functions/dist/../../../..${dataDir}/secret.ts`,
  ];
  const directives = [
    ...[`path="${dataDir}/leak.d.ts"`, `path="${up}/leak.d.ts"`, 'path="/etc/passwd"'],
    ...[`types="${dataDir}"`, `types="${up}"`, `lib="../../../../..${dataDir}/leak"`],
  ];
  const reported = (value: string, index: number) => `const told${index}: 1 = ${value};`;
  const source = [
    ...directives.map((directive) => `/// <reference ${directive} />`),
    newAction(
      [
        reported("leaked", 0),
        ...specifiers.map((specifier, index) =>
          reported(`null as never as (typeof import("${specifier}"))["secret"]`, index + 1),
        ),
        "return input.a;",
      ].join("\n"),
    ),
  ].join("\n");

  const outcome = await compile(source);

  const { error } = z.object({ error: z.instanceof(AppError) }).parse(outcome);
  expect(error.code).toBe("compilation_error");
  expect(`${error.message} ${JSON.stringify(error.details)}`).not.toMatch(/canary-value|root:/);
  const refused = error.message.match(/TS2307/g) ?? [];
  expect(refused).toHaveLength(specifiers.length);
});

test("types without an end cost their own environment a refusal, and others nothing", async () => {
  const bomb = newAction(
    "return input.a;",
    `type Doubled<S extends string, N extends 1[]> = N extends [1, ...infer R extends 1[]] ? Doubled<\`\${S}\${S}\`, R> : S;
const all: Doubled<"a", [${"1,".repeat(36)}]> = 1;`,
  );
  const other = await app.addEnvironment();

  const [harmed, fine] = await Promise.all([
    compile(bomb),
    compile(newAction("return input.a;"), other),
  ]);
  const after = await compile(newAction("return input.a;"));

  const message = "the source needs more memory or time than the compiler is given";
  expect(harmed).toMatchObject(refusal([{ message }]));
  expect([fine, after]).toEqual([{ code: expect.any(String) }, { code: expect.any(String) }]);
});

test("a caller who hangs up ends the compiler", async () => {
  const gone = new AbortController();
  const slow = newAction(
    "return input.a;",
    `type F<T> = T extends [infer A, ...infer R] ? [A, ...F<R>] | [...F<R>, A] : [];
const all: F<[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24]> = null as never as F<[1]>;`,
  );

  const left = compile(slow, { ...app.ctx, signal: gone.signal });
  const next = compile(newAction("return input.a;"));
  gone.abort(new Error("hung up"));

  expect(await left).toMatchObject({ error: { message: "hung up" } });
  expect(await next).toEqual({ code: expect.any(String) });
});

/** Priorities of the compilers that this process has started and that run. */
async function readPriorities(): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const [, parent] = status.slice(status.lastIndexOf(")") + 2).split(" ");
    const isOurs = parent === String(process.pid) && command.includes("compile/worker");
    if (isOurs) found.push(getPriority(Number(pid)));
  }
  return found.toSorted((a, b) => a - b);
}

test.runIf(process.platform === "linux")(
  "who compiles one text after the other leaves the processor to others",
  async () => {
    const other = await app.addEnvironment();
    await compile(newAction("return 1;"));

    const compiling = Promise.all([
      compile(newAction("return 2;")),
      compile(newAction("return 3;"), other),
    ]);
    await expect
      .poll(readPriorities, { interval: 10, timeout: 10_000 })
      .toEqual([getPriority(), 10]);

    expect(await compiling).toEqual([{ code: expect.any(String) }, { code: expect.any(String) }]);
  },
);
