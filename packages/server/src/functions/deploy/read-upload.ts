import {
  type Deployment,
  type FlowConfig,
  normalizeEgress,
  type StagedFunctionsPart,
} from "@jackfield/contract";
import { Pace } from "#foundation";
import type { Integration } from "#integrations";
import type {
  DeployedFunctionOf,
  FunctionEvent,
  FunctionReach,
  FunctionType,
  SyncDefinition,
} from "../deployed-function.ts";
import { hashBundles } from "../hash-bundles.ts";
import type { Bundle } from "../store.ts";
import { CHARACTERS_AT_ONCE } from "./check-deployment.ts";

type Uploaded<Type extends FunctionType> = Pick<
  DeployedFunctionOf<Type>,
  "integrationId" | "type" | "name" | "source" | "definition" | "bundleSha256"
> & {
  readonly integrationKey: string;
  /** As the author or the CLI gave it. */
  readonly version: string | undefined;
  /** Absent where the database has it already. */
  readonly bundle: Bundle | undefined;
};

/** A function as an upload brings it, in the form in which deployed ones are kept. */
export type UploadedFunction = { [Type in FunctionType]: Uploaded<Type> }[FunctionType];

export type UploadedWithBundle = UploadedFunction & { readonly bundle: Bundle };

function hasBundle(fn: UploadedFunction): fn is UploadedWithBundle {
  return fn.bundle !== undefined;
}

/** The functions of an upload that has passed checkDeployment, in its order. */
export async function readUpload(
  upload: Deployment,
  integrations: ReadonlyMap<string, Integration>,
): Promise<UploadedWithBundle[]> {
  const uploaded: UploadedWithBundle[] = [];
  const pace = new Pace(CHARACTERS_AT_ONCE);
  for (const read of listReaders(upload, integrations, await hashFiles(upload))) {
    const fn = read();
    if (!hasBundle(fn)) throw new Error(`${fn.name} came without a bundle`);
    uploaded.push(fn);
    await pace.spend(fn.bundle.code.length + fn.bundle.source.length);
  }
  return uploaded;
}

/** A part of an upload whose bundles are known by their hashes. */
export function readWithoutBundles(
  part: StagedFunctionsPart,
  source: Deployment["source"],
  integrations: ReadonlyMap<string, Integration>,
): UploadedFunction[] {
  return listReaders({ ...part, source }, integrations, new Map()).map((read) => read());
}

/** By the objects of the upload that hold the files. */
type Hashes = ReadonlyMap<object, Buffer>;

async function hashFiles({ flowConfigs, onEventScriptsByProvider }: Deployment): Promise<Hashes> {
  const files = [...flowConfigs, ...onEventScriptsByProvider.flatMap(({ scripts }) => scripts)];
  const hashes = await hashBundles(files.map(toBundle));
  return new Map(files.flatMap((file, n) => (hashes[n] ? [[file, hashes[n]] as const] : [])));
}

function toBundle({ fileBody, sourceMap }: Pick<FlowConfig, "fileBody" | "sourceMap">): Bundle {
  return { code: fileBody.js, source: fileBody.ts, sourceMap };
}

type Reach = Pick<FlowConfig, "egress" | "credentials">;
type Flow = Omit<FlowConfig, "fileBody" | "sourceMap"> & File;
type File = Pick<FlowConfig, "fileBody" | "sourceMap"> | { readonly bundle: string };
interface Upload {
  readonly flowConfigs: readonly Flow[];
  readonly onEventScriptsByProvider: readonly {
    readonly providerConfigKey: string;
    readonly scripts: readonly (File &
      Reach & { readonly name: string; readonly event: FunctionEvent })[];
  }[];
  readonly source: Deployment["source"];
}

/** What reads each function, in the order of the upload. */
function listReaders(
  upload: Upload,
  integrations: ReadonlyMap<string, Integration>,
  hashes: Hashes,
): (() => UploadedFunction)[] {
  const flows = upload.flowConfigs.map((flow) => () => {
    const common = {
      ...readCommon(flow.providerConfigKey, flow, { integrations, hashes }),
      name: flow.syncName,
      version: flow.version === "" ? undefined : flow.version,
      source: upload.source,
    };
    return flow.type === "sync"
      ? { ...common, type: "sync" as const, definition: toPlainJson(readSync(flow)) }
      : { ...common, type: "action" as const, definition: toPlainJson(readAction(flow)) };
  });
  const onEvents = upload.onEventScriptsByProvider.flatMap(({ providerConfigKey, scripts }) =>
    scripts.map((script) => () => ({
      ...readCommon(providerConfigKey, script, { integrations, hashes }),
      name: script.name,
      version: undefined,
      source: upload.source,
      type: "on-event" as const,
      definition: { event: script.event, ...readReach(script) },
    })),
  );
  return [...flows, ...onEvents];
}

function readCommon(
  integrationKey: string,
  file: File,
  { integrations, hashes }: { integrations: ReadonlyMap<string, Integration>; hashes: Hashes },
) {
  const integration = integrations.get(integrationKey);
  if (integration === undefined) throw new Error(`${integrationKey} was not looked up`);
  const named = { integrationId: integration.id, integrationKey: integration.uniqueKey };
  if ("bundle" in file) {
    return { ...named, bundle: undefined, bundleSha256: Buffer.from(file.bundle, "hex") };
  }
  const bundleSha256 = hashes.get(file);
  if (bundleSha256 === undefined) throw new Error("a bundle of the upload was not hashed");
  return { ...named, bundle: toBundle(file), bundleSha256 };
}

function readSync(flow: Flow): SyncDefinition {
  return {
    ...readDetails(flow),
    models: flow.models,
    frequency: flow.runs ?? "",
    autoStart: flow.auto_start,
    trackDeletes: flow.track_deletes,
    ...(flow.on_invalid_record && { onInvalidRecord: flow.on_invalid_record }),
    syncType: flow.sync_type ?? "full",
    metadataModel: flow.input,
    webhookSubscriptions: flow.webhookSubscriptions,
  };
}

function readAction(flow: Flow) {
  return { ...readDetails(flow), models: flow.models, input: flow.input, agent: flow.agent };
}

function readDetails(flow: Flow) {
  return {
    description: flow.metadata.description,
    scopes: flow.metadata.scopes ?? [],
    endpoints: flow.endpoints,
    attributes: flow.attributes,
    features: flow.features,
    jsonSchema: flow.models_json_schema?.definitions ?? {},
    ...readReach(flow),
  };
}

function readReach({ egress, credentials }: Reach): FunctionReach {
  return {
    ...(egress && { egress: normalizeEgress(egress) }),
    ...(credentials && { credentials }),
  };
}

/** As it comes back from the database, so that an equal definition is seen as equal. */
function toPlainJson<Definition extends object>(definition: Definition): Definition {
  return JSON.parse(JSON.stringify(definition));
}
