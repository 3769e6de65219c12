// A program of its own: checks and bundles one source text that it reads from its input, and ends. Nothing of the
// text runs here, but a compiler that it brings down, or keeps busy, is not the server's.
import { parse } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleFunction } from "./bundle/bundle-function.ts";
import { CompileError, type Diagnostic } from "./diagnostic.ts";
import { checkSentSource } from "./sent/check-sent-source.ts";

export type WorkerRequest =
  | {
      readonly op: "bundle";
      readonly source: string;
      readonly file: string;
      /** Starts TypeScript's program, which `findTypeChecker` knows, within limits. */
      readonly typeChecker: string;
    }
  /** The code that describes a bundle where it may be evaluated, as CommonJS text. */
  | { readonly op: "describer" };

export type WorkerAnswer =
  | { readonly code: string; readonly sourceMap: string }
  | { readonly diagnostics: readonly Diagnostic[] };

/** Neither among our files nor in a package, whose imports have other rules. */
const { root } = parse(fileURLToPath(import.meta.url));

async function answer(request: WorkerRequest): Promise<WorkerAnswer> {
  if (request.op === "describer") return { code: await bundleDescriber(), sourceMap: "" };
  const checking = checkSentSource(request.source, request.typeChecker);
  // When the bundler refuses the text, this no longer matters.
  checking.catch(() => {});
  try {
    const { code, sourceMap } = await bundleFunction({
      // A source map that the text refers to would be read from this machine's files.
      source: {
        text: request.source.replace(/([#@]) +(source(?:Mapping)?URL)/g, "$1  $2"),
        resolveDir: root,
      },
      integrationId: "sent",
      functionName: request.file,
      root,
      imports: "platform",
    });
    const diagnostics = await checking;
    return diagnostics.length > 0 ? { diagnostics } : { code, sourceMap };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return { diagnostics: error.diagnostics };
  }
}

async function bundleDescriber(): Promise<string> {
  const entry = fileURLToPath(import.meta.resolve("@jackfield/functions/describer"));
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node26",
    // Published packages hold no source.
    conditions: entry.endsWith(".ts") ? ["jackfield-source"] : [],
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: "silent",
  });
  return result.outputFiles[0]?.text ?? "";
}

const request: WorkerRequest = JSON.parse(await text(process.stdin));
process.stdout.write(JSON.stringify(await answer(request)), () => process.exit(0));
