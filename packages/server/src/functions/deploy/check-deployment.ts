import {
  type ErrorCode,
  type FlowConfig,
  MIN_FREQUENCY_MS,
  normalizeEgress,
  parseFrequency,
} from "@jackfield/contract";
import { AppError, type EnvironmentContext, Pace } from "#foundation";
import { findEgressFault } from "../egress/find-egress-fault.ts";
import { explainMissingModule, findMissingModule } from "./required-modules.ts";

const MODEL_NAME = /^[A-Z][a-zA-Z0-9_-]*$/;

type Flow = Omit<FlowConfig, "fileBody" | "sourceMap">;
/** With the texts of bundles, or without. */
interface Upload {
  readonly flowConfigs: readonly (Flow & Partial<Pick<FlowConfig, "fileBody">>)[];
  readonly onEventScriptsByProvider: readonly {
    readonly providerConfigKey: string;
    readonly scripts: readonly {
      readonly name: string;
      readonly egress?: readonly string[] | undefined;
      readonly fileBody?: FlowConfig["fileBody"];
    }[];
  }[];
}

/** Of texts, in one turn of the event loop. */
export const CHARACTERS_AT_ONCE = 1_000_000;

/** What refused uploads are called, by the route that takes them. */
export interface DeploymentCodes {
  readonly invalid: ErrorCode;
  readonly unknownIntegration: ErrorCode;
}

export const uploadCodes: DeploymentCodes = {
  invalid: "invalid_body",
  unknownIntegration: "unknown_provider_config",
};

type Refuse = (message: string) => never;

/** Refuses an upload that could not be deployed as a whole, naming the function at fault. */
export async function checkDeployment(
  { http }: { readonly http: Pick<EnvironmentContext["http"], "isOpened"> },
  upload: Upload,
  code: ErrorCode = uploadCodes.invalid,
): Promise<void> {
  const refuse: Refuse = refuseWith(code);
  requireUniqueNames(upload, refuse);
  await requireStorableText(upload, code);
  await requireModules(upload, refuse);
  requireEgress(upload, { refuse, isOpened: (url) => http.isOpened(url) });
  for (const flow of upload.flowConfigs) {
    if (flow.type === "sync") checkSync(flow, refuse);
    refuseOwnPaths(flow, refuse);
    requireSchemas(flow);
  }
}

function requireUniqueNames(upload: Upload, refuse: Refuse): void {
  const seen = new Set<string>();
  const names = [
    ...upload.flowConfigs.map(
      (flow) => [flow.type, flow.providerConfigKey, flow.syncName] as const,
    ),
    ...upload.onEventScriptsByProvider.flatMap(({ providerConfigKey, scripts }) =>
      scripts.map((script) => ["on-event function", providerConfigKey, script.name] as const),
    ),
  ];
  for (const [type, integration, name] of names) {
    const key = JSON.stringify([type, integration, name]);
    if (seen.has(key)) {
      refuse(`The ${type} "${name}" of integration "${integration}" is in the upload twice.`);
    }
    seen.add(key);
  }
}

function requireEgress(
  { flowConfigs, onEventScriptsByProvider }: Upload,
  { refuse, isOpened }: { refuse: Refuse; isOpened: (url: string) => boolean },
): void {
  const named = [
    ...flowConfigs.map(({ egress, syncName }) => ({ egress, name: syncName })),
    ...onEventScriptsByProvider.flatMap(({ scripts }) => scripts),
  ];
  for (const { name, egress = [] } of named) {
    for (const entry of normalizeEgress(egress)) {
      const fault = findEgressFault(entry, isOpened);
      if (fault !== undefined) refuse(`The egress of "${name}" cannot be deployed: ${fault}.`);
    }
  }
}

function checkSync(flow: Flow, refuse: Refuse): void {
  const what = describe(flow);
  const odd = flow.models.find((model) => !MODEL_NAME.test(model));
  if (odd !== undefined) {
    refuse(
      `${what} has a model named "${odd}"; start it with a capital letter and use letters, digits, _ and -.`,
    );
  }
  if (flow.runs === null || flow.runs === "") {
    refuse(`${what} has no frequency; write one such as \`every 5 minutes\`.`);
  }
  const frequency = parseFrequency(flow.runs);
  if (frequency === undefined) {
    refuse(`${what} has the frequency "${flow.runs}"; write one such as \`every 5 minutes\`.`);
  }
  if (frequency.ms < MIN_FREQUENCY_MS) {
    refuse(`${what} has the frequency "${flow.runs}"; the shortest is 30 seconds.`);
  }
}

/** Paths below /v1 that the API itself answers. */
const OWN_PATH = /^\/*connections\/[^/]+\/*$/i;

function refuseOwnPaths(flow: Flow, refuse: Refuse): void {
  const own = flow.endpoints.find(
    ({ method, path }) => (method === "GET" || method === "PATCH") && OWN_PATH.test(path),
  );
  if (own === undefined) return;
  refuse(
    `${describe(flow)} declares the endpoint ${own.method} ${own.path}, which is the API's own (${own.method} /v1/connections/{id}); choose another path.`,
  );
}

// So many are named.
const NAMED = 5;

function requireSchemas(flow: Flow): void {
  const known = flow.models_json_schema?.definitions ?? {};
  const needed = flow.input === undefined ? flow.models : [...flow.models, flow.input];
  const missing = needed.filter((name) => !Object.hasOwn(known, name));
  if (missing.length === 0) return;
  const named = missing.slice(0, NAMED).join(", ");
  const others = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : "";
  throw new AppError(
    "deploy_missing_json_schema_model",
    `${describe(flow)} uses ${named}${others}, which \`models_json_schema.definitions\` lacks.`,
  );
}

/** Such a function would fail at each run. */
async function requireModules(upload: Upload, refuse: Refuse): Promise<void> {
  const files = [
    ...upload.flowConfigs.map((flow) => [describe(flow), flow.fileBody] as const),
    ...upload.onEventScriptsByProvider.flatMap(({ providerConfigKey, scripts }) =>
      scripts.map(({ name, fileBody }) => {
        const what = `The on-event function "${name}" of integration "${providerConfigKey}"`;
        return [what, fileBody] as const;
      }),
    ),
  ];
  const pace = new Pace(CHARACTERS_AT_ONCE);
  for (const [what, fileBody] of files) {
    if (fileBody === undefined) continue;
    const missing = findMissingModule(fileBody.js);
    if (missing !== undefined) refuse(`${what} ${explainMissingModule(missing)}`);
    await pace.spend(fileBody.js.length);
  }
}

/** Postgres stores neither NUL nor half of a surrogate pair. */
export async function requireStorableText(
  upload: object,
  code: ErrorCode = uploadCodes.invalid,
): Promise<void> {
  const refuse: Refuse = refuseWith(code);
  const pace = new Pace(CHARACTERS_AT_ONCE);
  const open: [name: string, value: unknown][] = [["", upload]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [name, value] = next;
    if (!isStorable(name) || (typeof value === "string" && !isStorable(value))) {
      refuse(
        `The text of ${name.slice(0, LONGEST_NAME)} has a NUL character or a lone surrogate; write it as an escape.`,
      );
    }
    if (typeof value === "string") await pace.spend(value.length);
    if (typeof value !== "object" || value === null) continue;
    for (const entry of Object.entries(value)) open.push(entry);
  }
}

const LONGEST_NAME = 100;

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

function describe(flow: Flow): string {
  return `The ${flow.type} "${flow.syncName}" of integration "${flow.providerConfigKey}"`;
}

function refuseWith(code: ErrorCode): Refuse {
  return (message) => {
    throw new AppError(code, message);
  };
}
