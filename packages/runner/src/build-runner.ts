import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type BuildOptions, buildSync, type Metafile } from "esbuild";
import * as z from "zod";
import type { HostZod } from "./host-modules.ts";

export interface BuiltRunner {
  readonly code: Uint8Array;
  /** Every file that it was made of; paths are relative to `folder`. */
  readonly inputs: readonly string[];
}

/**
 * The program of a function's process as one CommonJS file, with the text of zod in it; `conditions` are those by which
 * our own packages are found. The synchronous form of esbuild leaves no process behind.
 */
export function buildRunner(folder: string, conditions: readonly string[]): BuiltRunner {
  const zod = buildZod(folder);
  const { code, inputs } = bundle(folder, {
    entryPoints: [join(import.meta.dirname, `main.${extension}`)],
    conditions: [...conditions],
    define: { HOST_ZOD: JSON.stringify(zod.texts) },
  });
  return { code, inputs: [...new Set([...inputs, ...zod.inputs])] };
}

/** The program of a script's process, with the text that is evaluated in the script's own realm. */
export function buildScriptRunner(folder: string, conditions: readonly string[]): BuiltRunner {
  const realm = bundle(folder, {
    entryPoints: [join(import.meta.dirname, `script/realm.${extension}`)],
    conditions: [...conditions],
    format: "iife",
    globalName: "realm",
  });
  const { code, inputs } = bundle(folder, {
    entryPoints: [join(import.meta.dirname, `script/main.${extension}`)],
    conditions: [...conditions],
    define: { SCRIPT_REALM: JSON.stringify(new TextDecoder().decode(realm.code)) },
  });
  return { code, inputs: [...new Set([...inputs, ...realm.inputs])] };
}

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";

/** The languages of messages, more than half of zod, are a text of their own, for few functions name one. */
function buildZod(folder: string): { texts: HostZod; inputs: string[] } {
  const home = dirname(createRequire(import.meta.url).resolve("zod/package.json"));
  const languages = join(home, "v4/locales/index.js");
  const whole = bundle(folder, {
    stdin: {
      contents: 'export * from "zod"; export { z as default } from "zod";',
      resolveDir: import.meta.dirname,
    },
    external: [languages],
    minifyIdentifiers: true,
  });
  const locales = bundle(folder, { entryPoints: [languages], minifyIdentifiers: true });
  const texts = {
    code: new TextDecoder().decode(whole.code),
    locales: new TextDecoder().decode(locales.code),
    localeNames: Object.keys(z.locales),
  };
  return { texts, inputs: [...whole.inputs, ...locales.inputs] };
}

function bundle(folder: string, options: BuildOptions): { code: Uint8Array; inputs: string[] } {
  const result = buildSync({
    format: "cjs",
    ...options,
    absWorkingDir: folder,
    bundle: true,
    platform: "node",
    target: "node26",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const [file] = result.outputFiles ?? [];
  if (file === undefined) throw new Error("esbuild made no runner file");
  return { code: file.contents, inputs: listInputs(result.metafile) };
}

function listInputs(metafile: Metafile | undefined): string[] {
  return Object.keys(metafile?.inputs ?? {}).filter((path) => !path.startsWith("<"));
}
