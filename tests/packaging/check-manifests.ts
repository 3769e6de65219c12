import { execFile } from "node:child_process";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const compilerOutput = z.object({ stdout: z.string() });

/** Objects of an operator's own kinds: their schemas come with the operator. */
export function isCustom({ apiVersion }: Manifest): boolean {
  return apiVersion.startsWith("postgresql.cnpg.io/");
}

/** Where objects do not fit Kubernetes' own schemas: values by the schema, and fields that there are not by the types. */
export async function findManifestFaults(manifests: readonly Manifest[]): Promise<string[]> {
  const checked = manifests.filter((item) => !isCustom(item));
  const faults = await Promise.all(checked.map(findWrongValues));
  return [...faults.flat(), ...(await findUnknownFields(checked))];
}

async function findWrongValues(item: Manifest): Promise<string[]> {
  const specifier = `kubernetes-models/${item.apiVersion}`;
  const models: Record<string, new (data: Manifest) => { validate(): void }> = await import(
    specifier
  );
  const Model = models[item.kind];
  if (Model === undefined) return [`there is no ${item.kind} in ${item.apiVersion}`];
  try {
    new Model(item).validate();
    return [];
  } catch (error) {
    return [`${item.kind} ${item.metadata.name}: ${String(error)}`];
  }
}

/** Schemas let unknown fields pass; TypeScript does not where a literal has a type. */
async function findUnknownFields(manifests: readonly Manifest[]): Promise<string[]> {
  const cache = join(root, ".cache");
  await mkdir(cache, { recursive: true });
  await using folder = await mkdtempDisposable(join(cache, "manifests-"));
  const lines = manifests.map((item, index) => {
    const type = `import("kubernetes-models/${item.apiVersion}").I${item.kind}`;
    return `export const ${item.kind}${index}: ${type} = ${JSON.stringify(item)};`;
  });
  const file = join(folder.path, "manifests.ts");
  await writeFile(file, lines.join("\n"));
  const compiler = createRequire(import.meta.url).resolve("typescript/package.json");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig"];
  const modules = ["--module", "esnext", "--moduleResolution", "bundler"];
  const args = [join(dirname(compiler), "bin", "tsc"), ...options, ...modules, file];
  const found = await promisify(execFile)(process.execPath, args).catch((error: unknown) => error);
  return compilerOutput
    .parse(found)
    .stdout.split("\n")
    .filter((line) => line.includes("error TS"));
}
