import { execFile } from "node:child_process";
import { cp, mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parseAllDocuments, parse as parseYaml, stringify } from "yaml";
import * as z from "zod";
import { readConfig } from "../../packages/server/src/config.ts";
import { requireTool } from "../require-tool.ts";
import { findManifestFaults, type Manifest } from "./check-manifests.ts";

const run = promisify(execFile);
const deploy = fileURLToPath(new URL("../../deploy/", import.meta.url));
const encryptionKey = Buffer.alloc(32, 7).toString("base64");

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});

test("systemd takes every unit without a word", async (t) => {
  const analyze = requireTool("systemd-analyze", t);
  await using folder = await mkdtempDisposable(join(tmpdir(), "jackfield-units-"));
  const units = await readdir(join(deploy, "systemd"));

  for (const unit of units) {
    const text = await readFile(join(deploy, "systemd", unit), "utf8");
    // It looks for the program, which is not installed here.
    await writeFile(
      join(folder.path, unit),
      text.replace("/opt/jackfield/bin/jackfield", process.execPath),
    );
    const { stdout, stderr } = await run(analyze, ["verify", join(folder.path, unit)]);
    expect([unit, stdout, stderr]).toEqual([unit, "", ""]);
  }

  expect(units.toSorted()).toEqual([
    "jackfield-api.service",
    "jackfield-worker.service",
    "jackfield.service",
  ]);
});

test("the units leave the server what it closes functions in with, and nothing else is open", async (t) => {
  const analyze = requireTool("systemd-analyze", t);

  for (const unit of ["jackfield", "jackfield-api", "jackfield-worker"]) {
    const file = join(deploy, "systemd", `${unit}.service`);
    const args = ["security", "--offline=true", "--no-pager", "--threshold=30", file];
    const { stdout } = await run(analyze, args);
    expect(stdout).toMatch(/Overall exposure level for .*: [012]\.\d OK/);
    const text = await readFile(file, "utf8");
    expect(text).not.toMatch(/^(RestrictNamespaces|ProtectHostname|MemoryDenyWriteExecute)=/m);
  }
});

test("compose takes the file, and names what has to be filled in", async (t) => {
  const compose = requireTool("docker-compose", t);
  const config = async (env: Record<string, string>) =>
    await run(compose, ["--file", join(deploy, "compose.yaml"), "config"], { env });
  const filled = {
    POSTGRES_PASSWORD: "p",
    SVC_ENCRYPTION_KEY: encryptionKey,
    SVC_SERVER_URL: "https://jackfield.example.com",
  };

  const { stdout } = await config(filled);
  const empty = await config({}).catch((error: { stderr: string }) => error);

  const { services } = parseYaml(stdout);
  expect(services.platform).toMatchObject({
    read_only: true,
    cap_drop: ["ALL"],
    environment: { SVC_DATABASE_URL: "postgres://jackfield:p@database:5432/jackfield" },
  });
  expect(services.database.image).toMatch(/postgres:\d+/);
  expect(empty.stderr).toContain("POSTGRES_PASSWORD");
  expect(readConfig(services.platform.environment)).toMatchObject({ problems: [], warnings: [] });
});

const overlays = ["external-postgres", "cloudnative-pg"];

test.for(overlays)("kustomize renders %s, and every object fits its schema", async (overlay, t) => {
  const manifests = await render(requireTool("kubectl", t), overlay);

  const faults = await findManifestFaults(manifests);
  const kinds = Object.groupBy(manifests, ({ kind }) => kind);

  expect(faults).toEqual([]);
  expect(kinds["StatefulSet"]?.map(({ metadata }) => metadata.name)).toEqual([
    "jackfield-api",
    "jackfield-worker",
  ]);
  for (const kind of ["Job", "PodDisruptionBudget", "HorizontalPodAutoscaler", "NetworkPolicy"]) {
    expect(kinds[kind]?.length, kind).toBeGreaterThan(0);
  }
});

test("an object with a wrong value or an unknown field does not pass", async () => {
  const claim = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "a" } };

  const fine = await findManifestFaults([{ ...claim, spec: { maxUnavailable: 1 } } as Manifest]);
  const wrong = await findManifestFaults([{ ...claim, spec: { maxUnavailable: [] } } as Manifest]);
  const unknown = await findManifestFaults([{ ...claim, spec: { maxUnavailabel: 1 } } as Manifest]);

  expect(fine).toEqual([]);
  expect(wrong.join("\n")).toContain("maxUnavailable");
  expect(unknown.join("\n")).toMatch(/maxUnavailabel\W+ does not exist/);
});

test.for(overlays)(
  "every pod of %s is bare of rights and knows its settings",
  async (overlay, t) => {
    const manifests = await render(requireTool("kubectl", t), overlay);
    const made = new Set(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    const pods = manifests.flatMap((item) => pod.safeParse(item).data?.spec.template.spec ?? []);
    const settings = settingsOf(manifests);

    expect(pods).toHaveLength(3);
    for (const { securityContext, containers } of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
      const [container] = containers;
      expect(container?.image).toBe("registry.example.com/jackfield:0.1.0");
      expect(container?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      const own = (container?.env ?? []).flatMap(({ name, value }) =>
        value === undefined ? [] : [[name, value] as const],
      );
      const env = { ...settings, SVC_ENCRYPTION_KEY: encryptionKey, ...Object.fromEntries(own) };
      expect(readConfig(env)).toMatchObject({ problems: [], warnings: [] });
      for (const from of container?.envFrom ?? []) {
        const [kind, name] = from.secretRef
          ? ["Secret", from.secretRef.name]
          : ["ConfigMap", from.configMapRef?.name];
        expect(made).toContain(`${kind} ${name}`);
      }
    }
  },
);

const named = z.object({ name: z.string() });
const pod = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        securityContext: z.unknown(),
        containers: z.array(
          z.object({
            image: z.string(),
            securityContext: z.unknown(),
            env: z.array(z.object({ name: z.string(), value: z.string().optional() })).default([]),
            envFrom: z.array(
              z.object({ secretRef: named.optional(), configMapRef: named.optional() }),
            ),
          }),
        ),
      }),
    }),
  }),
});

function settingsOf(manifests: readonly Manifest[]): Record<string, string> {
  const found = manifests.find(({ kind }) => kind === "ConfigMap");
  return z.object({ data: z.record(z.string(), z.string()) }).parse(found).data;
}

/** With the files that an operator adds. */
async function render(kubectl: string, overlay: string): Promise<Manifest[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "jackfield-kustomize-"));
  await cp(join(deploy, "kubernetes"), folder.path, { recursive: true });
  const place = join(folder.path, "overlays", overlay);
  await writeFile(join(place, "key.env"), `SVC_ENCRYPTION_KEY=${encryptionKey}\n`);
  await writeFile(
    join(place, "database.env"),
    "uri=postgres://u:p@database.example.com/jackfield\n",
  );
  if (await isOld(kubectl)) await respell(join(place, "kustomization.yaml"));
  const { stdout } = await run(kubectl, ["kustomize", place]);
  return parseAllDocuments(stdout).map((document) => manifest.parse(document.toJS()));
}

/** Before 1.21, such as Debian 12's: with a kustomize of 2019, which has other words for two things. */
async function isOld(kubectl: string): Promise<boolean> {
  const { stdout } = await run(kubectl, ["version", "--client", "--output=json"]);
  const { gitVersion = "" } = Object(JSON.parse(stdout)).clientVersion ?? {};
  const [, minor = "0"] = /^v1\.(\d+)/.exec(String(gitVersion)) ?? [];
  return Number(minor) < 21;
}

async function respell(file: string): Promise<void> {
  const { resources, secretGenerator, ...rest } = kustomization.parse(
    parseYaml(await readFile(file, "utf8")),
  );
  const isFolder = (path: string): boolean => !path.endsWith(".yaml");
  const old = {
    ...rest,
    bases: resources.filter(isFolder),
    resources: resources.filter((path) => !isFolder(path)),
    secretGenerator: secretGenerator.map(({ name, envs: [env] }) => ({ name, env })),
  };
  await writeFile(file, stringify(old));
}

const kustomization = z.looseObject({
  resources: z.array(z.string()),
  secretGenerator: z.array(z.strictObject({ name: z.string(), envs: z.tuple([z.string()]) })),
});
