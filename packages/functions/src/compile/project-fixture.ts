import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const AUTHORING = fileURLToPath(new URL("../index.ts", import.meta.url));
const require = createRequire(import.meta.url);

/** A project of an author in a folder of its own, removed when the test ends. */
export function newProject(files: Record<string, string>): string {
  const root = writeProject(files);
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** The same for several tests; the caller removes it. */
export function writeProject(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "project-"));
  mkdirSync(join(root, "node_modules"));
  if (files["node_modules/zod/package.json"] === undefined) {
    symlinkSync(dirname(require.resolve("zod/package.json")), join(root, "node_modules", "zod"));
  }
  const tsconfig = {
    compilerOptions: {
      ...{ target: "es2024", module: "nodenext", moduleResolution: "nodenext", strict: true },
      ...{ types: [], skipLibCheck: true, allowImportingTsExtensions: true, noEmit: true },
      paths: { jackfield: [AUTHORING] },
    },
    include: ["*.ts", "*/*/*.ts"],
  };
  const all = {
    "package.json": JSON.stringify({ type: "module" }),
    "tsconfig.json": JSON.stringify(tsconfig),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** The files of our zod under another version, which its types and its code then name, too. */
export function copyZod(version: string): Record<string, string> {
  const folder = dirname(require.resolve("zod/package.json"));
  const [major, minor, patch] = version.split(".");
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => /(?<!\.cjs|\.cts)$/.test(path) && /\.(json|js|d\.ts)$/.test(path),
  );
  return Object.fromEntries(
    paths.map((path) => {
      const text = readFileSync(join(folder, path), "utf8");
      const isVersion = /v4[\\/]core[\\/]versions\./.test(path);
      const own = isVersion
        ? text
            .replace(/(major: )\d+/, `$1${major}`)
            .replace(/(minor: )\d+/, `$1${minor}`)
            .replace(/(patch: )\d+/, `$1${patch}`)
        : path === "package.json"
          ? JSON.stringify({ ...JSON.parse(text), version })
          : text;
      return [`node_modules/zod/${path.replaceAll("\\", "/")}`, own];
    }),
  );
}

export const contactsSync = `import { createSync } from "jackfield";
import * as z from "zod";

const Contact = z.object({ id: z.string(), name: z.string(), seen: z.date().optional() });

export default createSync({
  description: "Contacts of the CRM",
  frequency: "every 3 week",
  autoStart: true,
  models: { Contact },
  metadata: z.object({ region: z.string() }),
  exec: async (svc) => {
    await svc.saveCheckpoint({ page: 1 });
    await svc.batchSave([{ id: "1", name: "A" }], "Contact");
  },
});
`;

export const addAction = `import { createAction } from "jackfield";
import * as z from "zod";

export default createAction({
  description: "Adds",
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  output: z.number(),
  exec: (_svc, input) => input.a + (input.b ?? 1),
});
`;
