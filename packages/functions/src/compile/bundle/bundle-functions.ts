import { join, resolve } from "node:path";
import { build, type Metafile } from "esbuild";
import { CompileError, type Diagnostic } from "../diagnostic.ts";
import type { ProjectFile } from "../project-files.ts";
import {
  type Bundle,
  bundleFunction,
  isOwnFile,
  toBuildOptions,
  toBundle,
  toCompileError,
  toDiagnostic,
} from "./bundle-function.ts";

export type Bundled = { readonly bundle: Bundle } | { readonly errors: readonly Diagnostic[] };

/** What bundles are made at once share their reading of common files; memory is bounded by their number. */
const BUNDLED_AT_ONCE = 200;
const RETRIED_AT_ONCE = 4;

/** Bundles of a project's functions, in their order, a batch after the other. */
export async function* bundleFunctions(
  root: string,
  files: readonly ProjectFile[],
): AsyncGenerator<readonly [ProjectFile, Bundled]> {
  for (let at = 0; at < files.length; at += BUNDLED_AT_ONCE) {
    const batch = files.slice(at, at + BUNDLED_AT_ONCE);
    const bundled = (await tryBatch(root, batch)) ?? (await bundleEach(root, batch));
    for (const [index, file] of batch.entries()) {
      const made = bundled[index];
      if (made !== undefined) yield [file, made];
    }
  }
}

/** Nothing when one of them cannot be bundled: esbuild then makes none, and does not say whose fault it is. */
async function tryBatch(
  root: string,
  files: readonly ProjectFile[],
): Promise<Bundled[] | undefined> {
  try {
    const result = await build({
      ...toBuildOptions(root, "project"),
      entryPoints: files.map(({ file }, index) => ({
        in: resolve(root, file),
        out: `function-${index}`,
      })),
      outdir: root,
    });
    const texts = new Map(result.outputFiles.map((output) => [output.path, output]));
    const listFiles = createFileLister(result.metafile);
    const warnings = result.warnings.map(toDiagnostic);
    return files.map(({ file }, index) => {
      const path = join(root, `function-${index}.js`);
      const inputs = listFiles(file);
      const own = warnings.filter((warning) => inputs.has(warning.file ?? file));
      const code = texts.get(path)?.text ?? "";
      const sourceMap = texts.get(`${path}.map`)?.text ?? "";
      const ownFiles = [...inputs].filter(isOwnFile).toSorted();
      return { bundle: toBundle({ code, sourceMap, warnings: own, files: ownFiles }) };
    });
  } catch (error) {
    if (toCompileError(error) instanceof CompileError) return undefined;
    throw error;
  }
}

async function bundleEach(root: string, files: readonly ProjectFile[]): Promise<Bundled[]> {
  const bundled: Bundled[] = [];
  for (let at = 0; at < files.length; at += RETRIED_AT_ONCE) {
    const some = files.slice(at, at + RETRIED_AT_ONCE);
    bundled.push(...(await Promise.all(some.map((file) => bundleOne(root, file)))));
  }
  return bundled;
}

async function bundleOne(root: string, file: ProjectFile): Promise<Bundled> {
  try {
    return { bundle: await bundleFunction({ ...file, root, source: { entryFile: file.file } }) };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return { errors: error.diagnostics };
  }
}

/** All that a file imports, directly or through others, itself included. */
function createFileLister({ inputs }: Metafile): (entry: string) => Set<string> {
  return (entry) => {
    const found = new Set([entry]);
    for (const file of found) {
      for (const { path, external } of inputs[file]?.imports ?? []) {
        if (external !== true) found.add(path);
      }
    }
    return found;
  };
}
