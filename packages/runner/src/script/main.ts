/**
 * Entry of a script's process: takes one script of the host on fd 3, strips its types and runs it once, in a realm of
 * its own. Bundled into one file, which runs as isolated as functions do. Types are stripped here and not in the
 * server: the parser runs out of its memory on hostile text, and is then of no use to the next.
 */
import { stripTypeScriptTypes } from "node:module";
import { constants, createContext, Script } from "node:vm";
import { scriptLimits } from "@jackfield/contract/script-limits";
import { closeProcess } from "../close-process.ts";
import { createConsole } from "../console-log.ts";
import { openHostLink } from "../host-link.ts";
import type { setUp } from "./realm.ts";
import { ScriptProcess } from "./script-process.ts";

/** The text of `realm.ts`, put here where the program is bundled. */
declare const SCRIPT_REALM: string;

Error.stackTraceLimit = 10;
process.on("unhandledRejection", () => {});

// Before the process is closed: loading the parser takes it 50 ms.
stripTypeScriptTypes("const ready: boolean = true;");
const access = closeProcess({
  console: createConsole(() => {}),
  fetch: async () => {
    throw new TypeError("fetch failed: scripts have no network.");
  },
});
const context = createContext(constants.DONT_CONTEXTIFY, {
  codeGeneration: { strings: false, wasm: false },
});
const realm: { setUp: typeof setUp } = new Script(`(() => { ${SCRIPT_REALM}\n return realm; })()`, {
  filename: "realm.js",
}).runInContext(context);

/** The script as a function of the realm; throws a SyntaxError of either parser. */
function compile(code: string): unknown {
  // On the line of its own text, so that positions are the author's.
  const wrapped = `(async (tools, input) => { "use strict";\n${code}\n})`;
  const stripped = stripTypeScriptTypes(wrapped);
  return new Script(stripped, { filename: "script.ts", lineOffset: -1 }).runInContext(context);
}

const script = new ScriptProcess({ access, compile, setUp: realm.setUp, limits: scriptLimits });
process.on("uncaughtException", (error) => script.fail(String(error.message)));
script.start(openHostLink);
