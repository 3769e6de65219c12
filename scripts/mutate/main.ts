// `npm run mutate -- [target...] [--sample 20] [--seed 1]`: changes one place of a source file at a time and runs the
// tests of its slice. A mutant that no test notices survives, and is listed. Nothing else may use the checkout meanwhile.
import { writeFileSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { createVitest, type TestModule, type TestSpecification, type Vitest } from "vitest/node";
import { type Mutant, mutantsOf } from "./mutants.ts";

interface Target {
  readonly source: string;
  /** Parts of the paths of the test files that should notice. */
  readonly tests: readonly string[];
}

const server = "packages/server/src";
const targets: Readonly<Record<string, Target>> = {
  vault: { source: `${server}/vault`, tests: [`${server}/vault/`] },
  refresh: {
    source: `${server}/connections/refresh`,
    tests: [
      "get-fresh-credentials",
      "decision-table",
      "discarded-answer",
      "health/refresh-now",
      "host-breaker",
      "idle/idle-refresh",
      "lease-owner",
      "refresh-details",
      "refresh-faults",
      "refresh-span",
      "replay-spool",
      "slow-refresh",
      "token-chain",
    ].map((name) => `${server}/connections/${name}.test.ts`),
  },
  records: { source: `${server}/records/writing`, tests: [`${server}/records/`] },
  egress: { source: `${server}/foundation/egress`, tests: [`${server}/foundation/egress/`] },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
  },
});

// One process for all files of a run, and no second chance: the first test that fails has noticed.
const vitest = await createVitest(
  "test",
  {
    config: "vitest.mutate.config.ts",
    ...{ watch: false, maxWorkers: 1, bail: 1, reporters: [] },
    ...{ testTimeout: 30_000, hookTimeout: 30_000 },
  },
  {},
);
try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(targets)) {
    const target = targets[name];
    if (target === undefined) throw new Error(`there is no target ${name}`);
    await runTarget(vitest, name, target);
  }
} finally {
  await vitest.close();
}

async function runTarget(vitest: Vitest, name: string, target: Target): Promise<void> {
  const specifications = await vitest.globTestSpecifications([...target.tests]);
  const faults = await findFaults(vitest, specifications);
  if (faults.length > 0) {
    throw new Error(`the tests of ${name} fail without a mutant:\n${faults.join("\n")}`);
  }
  const mutants = sample(await listMutants(target.source), Number(values.sample));
  const survivors: Mutant[] = [];
  for (const mutant of mutants) {
    const survived = await withMutant(mutant, async () => {
      return (await findFaults(vitest, specifications)).length === 0;
    });
    if (survived) survivors.push(mutant);
    print(`${survived ? "survived" : "killed  "} ${mutant.path}:${mutant.line}: ${mutant.change}`);
  }
  const killed = mutants.length - survivors.length;
  const share = ((100 * killed) / mutants.length).toFixed(0);
  print(`${name}: ${killed} of ${mutants.length} killed (${share} %), seed ${values.seed}\n`);
}

async function listMutants(folder: string): Promise<Mutant[]> {
  const mutants: Mutant[] = [];
  for await (const path of glob(`${folder}/**/*.ts`)) {
    if (/\.test\.ts$|\/testing\/|\/index\.ts$/.test(path)) continue;
    mutants.push(...mutantsOf(path, await readFile(path, "utf8")));
  }
  return mutants.toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
}

/** The same for the same seed. */
function sample(mutants: readonly Mutant[], count: number): Mutant[] {
  let state = Number(values.seed);
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return mutants
    .map((mutant) => ({ mutant, order: next() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

async function withMutant<T>(mutant: Mutant, run: () => Promise<T>): Promise<T> {
  const original = await readFile(mutant.path, "utf8");
  const restore = () => writeFileSync(mutant.path, original);
  const stop = () => {
    restore();
    process.exit(1);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  writeFileSync(mutant.path, mutant.text);
  try {
    return await run();
  } finally {
    restore();
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}

/** What went wrong in the run; nothing where all tests passed. */
async function findFaults(
  vitest: Vitest,
  specifications: readonly TestSpecification[],
): Promise<string[]> {
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([...specifications]);
  const failed = testModules.filter((each) => !each.ok());
  return [
    // From another process: an object without a prototype.
    ...unhandledErrors.map((error) => `outside of a test: ${Object(error).message}`),
    ...failed.flatMap((each) => [`${each.relativeModuleId}: ${each.state()}`, ...errorsOf(each)]),
  ];
}

function errorsOf(module: TestModule): string[] {
  const failed = [...module.children.allTests("failed")];
  return [
    ...module.errors().map(({ message }) => `  ${message}`),
    ...failed.map((test) => `  ${test.fullName}: ${test.result().errors?.[0]?.message}`),
  ];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
