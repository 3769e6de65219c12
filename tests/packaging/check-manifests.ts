import { findTypeFaults } from "../compile-literals.ts";

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

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
  const lines = manifests.map((item, index) => {
    const type = `import("kubernetes-models/${item.apiVersion}").I${item.kind}`;
    return `export const ${item.kind}${index}: ${type} = ${JSON.stringify(item)};`;
  });
  return await findTypeFaults(lines.join("\n"));
}
