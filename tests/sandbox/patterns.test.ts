import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listProviders } from "@jackfield/catalogue";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
/** Characters of the texts that every pattern is tried on; what is slow there is looked at with ten times as many. */
const SIZE = 4000;
/** A linear pattern is a hundred times faster; one that is not may be, too, by chance of the machine. */
const SUSPICIOUS_MS = 4;
/** Of the long text; a linear pattern needs a thousandth of it, one whose time grows by the square more. */
const DEADLINE_MS = 1000;

interface Pattern {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

function sourceFiles(): string[] {
  return readdirSync(join(root, "packages"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => listFiles(join(root, "packages", name, "src")));
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.|testing\/|fixture|escapes\//.test(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** A literal where an expression may begin: after an operator, a bracket, a comma or `return`. */
const literal =
  /(?:[(=,:[!&|?{;>]|return)\s*\/((?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g;

function findPatterns(): Pattern[] {
  return sourceFiles().flatMap((file) => {
    const text = readFileSync(file, "utf8");
    return [...text.matchAll(literal)].flatMap(([, source = "", flags = ""]) => {
      try {
        new RegExp(source, flags);
      } catch {
        return []; // a division or a path that only looks like one
      }
      return [{ place: `${file.slice(root.length + 1)} /${source}/`, source, flags }];
    });
  });
}

/** A pattern that is put together: its template or text, and its flags. */
const constructed =
  /new RegExp\(\s*(?:`((?:[^`\\]|\\.)*)`|"((?:[^"\\]|\\.)*)")(?:,\s*"([a-z]*)")?/g;

/** Texts that are put into patterns as they stand; anything else that is put in is a word. */
const textConstant = /const (\w+)\s*=\s*"((?:[^"\\]|\\.)*)"/g;

function findConstructed(): Pattern[] {
  return sourceFiles().flatMap((file) => {
    const text = readFileSync(file, "utf8");
    const constants = new Map(
      [...text.matchAll(textConstant)].map(([, name = "", value = ""]) => [name, value]),
    );
    return [...text.matchAll(constructed)].map(([, template, plain = "", flags = ""]) => {
      const escaped = (template ?? plain).replaceAll(
        /\$\{([^}]*)\}/g,
        (_, expression: string) => constants.get(expression) ?? "word",
      );
      const source = escaped.replaceAll(/\\(.)/g, "$1");
      return { place: `${file.slice(root.length + 1)} ${source}`, source, flags };
    });
  });
}

/** Patterns of the fields that providers ask for; the server tries them on what end users type. */
function findFieldPatterns(): Pattern[] {
  return [...listProviders()].flatMap((provider) =>
    [
      ...Object.entries(provider.connection_config),
      ...Object.entries(provider.credentials),
    ].flatMap(([name, { pattern }]) =>
      pattern === undefined
        ? []
        : [{ place: `${provider.id} ${name}`, source: `^(?:${pattern})$`, flags: "u" }],
    ),
  );
}

/** What makes patterns backtrack: long runs of what they repeat, and an end that does not fit. */
function evilTexts(source: string, size: number): string[] {
  const letters = source.replace(/\\[a-z]|[\^$.*+?()[\]{}|\\]/gi, "");
  const units = new Set([
    ...[
      "a",
      "0",
      " ",
      "\t",
      "\n",
      "-",
      "_",
      ".",
      ",",
      ";",
      ":",
      "/",
      "=",
      "&",
      "%",
      '"',
      "<",
      "{",
      "(",
    ],
    ...[
      "a ",
      "a.",
      "a,",
      "a-",
      "a=",
      "0.",
      "0 ",
      " ,",
      ";a",
      "\\",
      "{{",
      "${",
      "a:1",
      '"a"',
      "at ",
      "\r\n",
    ],
    ...(letters === "" ? [] : [letters.slice(0, 8), letters.slice(-3), letters[0] ?? ""]),
  ]);
  const texts: string[] = [];
  for (const unit of units) {
    const run = unit.repeat(Math.ceil(size / unit.length));
    for (const end of ["", "!", "\0", "\n"])
      texts.push(run + end, `${letters.slice(0, 20)}${run}${end}`);
  }
  return texts;
}

/** Packages that run on their user's own machine, over that user's own text. */
const ownMachine = /^packages\/(cli|simulator|connect-ui|frontend|node)\//;

/** Patterns whose time grows by the square, and what keeps their text short. */
const shortTexts: readonly [place: string, bound: string][] = [
  [
    "packages/catalogue/src/template.ts /\\/+$/",
    "addresses of the catalogue and of a custom entry",
  ],
  ["packages/server/src/providers/present-provider.ts /\\{\\{", "a template of an entry"],
  ["packages/server/src/config.ts /\\/+$/", "the operator's settings"],
  [
    "packages/server/src/auth-modes/after-connect.ts /\\/+$/",
    "a base URL, at most 2048 characters",
  ],
  ["packages/server/src/auth-modes/verify-credentials.ts /\\/+$/", "a base URL"],
  ["packages/server/src/connect/sessions/create-session.ts /\\/+$/", "the operator's settings"],
  ["packages/server/src/gateway/create-name-aliases.ts /\\S+$/", "a header, at most 16 KB"],
  ["packages/server/src/platform/http/http-server.ts /\\{.*$/", "paths of the contract"],
  ["packages/server/src/proxy/record-call.ts /\\/+$/", "a base URL, at most a header"],
  ["packages/server/src/proxy/target.ts /\\/+$/", "a base URL, at most a header"],
  [
    "packages/server/src/functions/catalogue/present-tools.ts /^\\s*[-*]",
    "2000 characters of a description",
  ],
  ["packages/functions/src/compile/import-rules.ts /^(\\s*import", "a line of the author's file"],
];

const isShort = ({ place }: Pattern): boolean =>
  ownMachine.test(place) || shortTexts.some(([known]) => place.startsWith(known));

const patterns = [...findPatterns(), ...findConstructed(), ...findFieldPatterns()];

test("the patterns of the sources are found", () => {
  expect(patterns.length).toBeGreaterThan(100);
  const places = patterns.map(({ place }) => place).join();
  expect(places).toContain("parse-link-header.ts");
  expect(places).toContain("logs/redact.ts ([?&;](?:access_?token|");
  expect(places).toContain("proxy/quotas/read-quota.ts (?:^|");
  expect(findFieldPatterns().length).toBeGreaterThan(10);
});

test("no pattern of ours takes longer than its text is long, however it is made", () => {
  const slow = patterns
    .filter((each) => !isShort(each))
    .filter(({ source, flags }) => {
      const pattern = new RegExp(source, flags.replace("g", ""));
      const isSlow = (text: string, ms: number): boolean => {
        pattern.lastIndex = 0;
        const startedAt = performance.now();
        pattern.test(text);
        return performance.now() - startedAt > ms;
      };
      const suspects = evilTexts(source, SIZE).flatMap((text, index) =>
        isSlow(text, SUSPICIOUS_MS) ? [index] : [],
      );
      if (suspects.length === 0) return false;
      const long = evilTexts(source, 10 * SIZE);
      return suspects.some((index) => isSlow(long[index] ?? "", DEADLINE_MS));
    });

  expect(slow.map(({ place }) => place)).toEqual([]);
});
