import type { PlannedImpact } from "@jackfield/contract";
import type { UploadedFunction } from "../deploy/read-upload.ts";
import type { ActionDefinition, DeployedFunction, SyncDefinition } from "../deployed-function.ts";
import { compareReach } from "../egress/compare-egress.ts";
import { findMisfits, type Misfit, type SchemaIn, TooLargeToCompare } from "./compare-schemas.ts";

type Part = PlannedImpact["parts"][number];

/** Of one function; more are counted in the last. */
const MOST_PARTS = 50;

/** What a new version of a function changes for those who call it or read its records, what breaks them first. */
export function describeImpact(
  current: DeployedFunction,
  uploaded: UploadedFunction,
  { requestedScopes }: { readonly requestedScopes: readonly string[] },
): Part[] {
  const parts = [
    ...partsOf(current, uploaded, requestedScopes),
    ...compareReach(current.definition, uploaded.definition).map(
      ({ message, widens }): Part => ({
        ...compatible("egress", message),
        ...(widens && { widens }),
      }),
    ),
    ...(current.bundleSha256.equals(uploaded.bundleSha256)
      ? []
      : [compatible("code", "Its code changes.")]),
  ];
  const sorted = [
    ...parts.filter(({ effect }) => effect === "breaking"),
    ...parts.filter(({ effect }) => effect === "compatible"),
  ];
  if (sorted.length <= MOST_PARTS) return sorted;
  const left = sorted.length - MOST_PARTS + 1;
  const effect = sorted[MOST_PARTS - 1]?.effect ?? "compatible";
  return [
    ...sorted.slice(0, MOST_PARTS - 1),
    { part: "more", effect, message: `And ${left} further changes.` },
  ];
}

function partsOf(
  current: DeployedFunction,
  uploaded: UploadedFunction,
  requestedScopes: readonly string[],
): Part[] {
  if (current.type === "sync" && uploaded.type === "sync") {
    const [before, after] = [current.definition, uploaded.definition];
    return [
      ...partsOfSync(before, after),
      ...compareScopes(before.scopes, after.scopes, requestedScopes),
      ...compareEndpoints(before, after),
    ];
  }
  if (current.type === "action" && uploaded.type === "action") {
    const [before, after] = [current.definition, uploaded.definition];
    return [
      ...partsOfAction(before, after),
      ...compareScopes(before.scopes, after.scopes, requestedScopes),
      ...compareEndpoints(before, after),
    ];
  }
  if (current.type === "on-event" && uploaded.type === "on-event") {
    const [before, after] = [current.definition.event, uploaded.definition.event];
    if (before !== after)
      return [breaking("event", `It runs at ${after}, no longer at ${before}.`)];
  }
  return [];
}

function partsOfAction(before: ActionDefinition, after: ActionDefinition): Part[] {
  const [oldOutput, newOutput] = [before.models[0], after.models[0]];
  const effects = [before.agent?.effect ?? "write", after.agent?.effect ?? "write"] as const;
  return [
    ...compareTaken("input", schemaOf(before, before.input), schemaOf(after, after.input)),
    ...compareGiven(
      "output",
      "The output",
      schemaOf(before, oldOutput),
      schemaOf(after, newOutput),
    ),
    ...(effects[0] === effects[1] ? [] : [describeEffect(...effects)]),
  ];
}

type Effect = "read" | "write" | "destructive";
const severity: Readonly<Record<Effect, number>> = { read: 0, write: 1, destructive: 2 };

function describeEffect(before: Effect, after: Effect): Part {
  const message = `For agents its effect is ${after}, no longer ${before}.`;
  return severity[after] > severity[before]
    ? breaking("agent", `${message} Toolsets that allow only ${before} lose it.`)
    : compatible("agent", message);
}

function partsOfSync(before: SyncDefinition, after: SyncDefinition): Part[] {
  const lost = before.models.filter((model) => !after.models.includes(model));
  const gained = after.models.filter((model) => !before.models.includes(model));
  const kept = after.models.filter((model) => before.models.includes(model));
  const unheard = before.webhookSubscriptions.filter(
    (type) =>
      !after.webhookSubscriptions.includes(type) && !after.webhookSubscriptions.includes("*"),
  );
  return [
    ...lost.map((model) => breaking("models", `It no longer writes the model ${model}.`)),
    ...gained.map((model) => compatible("models", `It also writes the model ${model}.`)),
    ...kept.flatMap((model) =>
      compareGiven("models", model, schemaOf(before, model), schemaOf(after, model)),
    ),
    ...compareTaken(
      "metadata",
      schemaOf(before, before.metadataModel),
      schemaOf(after, after.metadataModel),
    ),
    ...unheard.map((type) =>
      breaking("webhooks", `It no longer handles webhooks of the type ${type.slice(0, 100)}.`),
    ),
    ...compareSettings(before, after),
    ...compareMisfits(before.onInvalidRecord, after.onInvalidRecord),
  ];
}

function compareSettings(before: SyncDefinition, after: SyncDefinition): Part[] {
  const settings = [
    ["schedule", "It runs", before.frequency, after.frequency],
    ["schedule", "Its type is", before.syncType, after.syncType],
    ["schedule", "New connections", startOf(before), startOf(after)],
    ["deletes", "Records that are gone at the provider are", deletesOf(before), deletesOf(after)],
  ] as const;
  return settings.flatMap(([part, subject, was, is]) =>
    was === is ? [] : [compatible(part, `${subject} ${is}, no longer ${was}.`)],
  );
}

function startOf({ autoStart }: SyncDefinition): string {
  return autoStart ? "start it at once" : "do not start it";
}

function deletesOf({ trackDeletes }: SyncDefinition): string {
  return trackDeletes ? "deleted" : "kept";
}

type OnInvalidRecord = SyncDefinition["onInvalidRecord"];

/** Readers of a sync that saved none of them may now get values of any type. */
function compareMisfits(before: OnInvalidRecord, after: OnInvalidRecord): Part[] {
  if (before === after) return [];
  const [was, is] = [misfits[before ?? "settings"], misfits[after ?? "settings"]];
  const message = `Records that do not match their schema are ${is}, no longer ${was}.`;
  const isNew = after === "save" && before !== undefined;
  return [isNew ? breaking("records", message) : compatible("records", message)];
}

const misfits = {
  quarantine: "quarantined",
  save: "saved",
  fail: "refused, which fails the run",
  settings: "handled as the settings of the environment say",
} as const;

/** Connections that were authorized without a scope lack it; those to come have what the integration asks for. */
function compareScopes(
  before: readonly string[],
  after: readonly string[],
  requested: readonly string[],
): Part[] {
  const added = after.filter((scope) => !before.includes(scope));
  return added.map((scope) =>
    requested.includes(scope)
      ? compatible(
          "scopes",
          `It needs the scope ${scope}, which the integration asks for; connections authorized before that have to be authorized again.`,
        )
      : breaking(
          "scopes",
          `It needs the scope ${scope}, which the integration does not ask for: no connection has it.`,
        ),
  );
}

function compareEndpoints(
  before: Pick<SyncDefinition, "endpoints">,
  after: Pick<SyncDefinition, "endpoints">,
): Part[] {
  const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
  const left = new Set((after.endpoints ?? []).map(nameOf));
  const lost = (before.endpoints ?? []).map(nameOf).filter((name) => !left.has(name));
  return lost.map((name) => breaking("endpoints", `It no longer answers ${name}.`));
}

function schemaOf(
  { jsonSchema }: Pick<SyncDefinition, "jsonSchema">,
  name: string | undefined,
): SchemaIn | undefined {
  const schema = name === undefined ? undefined : jsonSchema[name];
  return schema === undefined ? undefined : { schema, definitions: jsonSchema };
}

/** What others send: all that was taken has to be taken still. */
function compareTaken(
  part: "input" | "metadata",
  before: SchemaIn | undefined,
  after: SchemaIn | undefined,
): Part[] {
  const subject = part === "input" ? "The input" : "The metadata of connections";
  if (after === undefined) {
    return before === undefined ? [] : [compatible(part, `${subject} has no schema any more.`)];
  }
  if (before === undefined) return [breaking(part, `${subject} has a schema now.`)];
  return compare(before, after, {
    part,
    say: ({ path, kind, what }) => `${at(subject, path)} ${refusals[kind](what)}`,
    otherwise: `${subject} takes more than before.`,
  });
}

const refusals: Readonly<Record<Misfit["kind"], (what: string) => string>> = {
  required: (what) =>
    what === "absent" ? "is new and required." : "is required; it was optional.",
  unknown: () => "is refused; it was taken.",
  type: (what) => `no longer takes ${what}.`,
  values: (what) => `no longer takes ${what}.`,
  bounds: (what) => `has a tighter bound; it was ${what}.`,
  format: (what) => `has to match another format; it was ${what}.`,
};

/** What others read: nothing may come that could not come before. */
function compareGiven(
  part: "output" | "models",
  subject: string,
  before: SchemaIn | undefined,
  after: SchemaIn | undefined,
): Part[] {
  if (before === undefined) {
    return after === undefined ? [] : [compatible(part, `${subject} has a schema now.`)];
  }
  if (after === undefined) return [breaking(part, `${subject} has no schema any more.`)];
  return compare(after, before, {
    part,
    // More properties are no surprise to a reader.
    isHarmless: ({ kind }) => kind === "unknown",
    say: ({ path, kind, what }) => `${at(subject, path)} ${surprises[kind](what)}`,
    otherwise: `${subject} has more properties, or narrower ones.`,
  });
}

const surprises: Readonly<Record<Misfit["kind"], (what: string) => string>> = {
  required: (what) => (what === "absent" ? "is gone." : "may be missing; it was always there."),
  unknown: () => "is new.",
  type: (what) => `may be ${what}, which it never was.`,
  values: (what) => `may be ${what}, which it never was.`,
  bounds: (what) => `has a wider bound: ${what}.`,
  format: (what) => `no longer has the format that it had; it is ${what}.`,
};

function compare(
  narrow: SchemaIn,
  wide: SchemaIn,
  words: {
    readonly part: Part["part"];
    readonly isHarmless?: (misfit: Misfit) => boolean;
    readonly say: (misfit: Misfit) => string;
    readonly otherwise: string;
  },
): Part[] {
  const { part, isHarmless = () => false, say, otherwise } = words;
  try {
    const misfits = findMisfits(narrow, wide);
    const found = misfits.map((each) =>
      (isHarmless(each) ? compatible : breaking)(part, say(each)),
    );
    if (found.length > 0) return found;
    return differs(narrow, wide) ? [compatible(part, otherwise)] : [];
  } catch (error) {
    if (!(error instanceof TooLargeToCompare)) throw error;
    return [breaking(part, "Its schema is too large to be compared.")];
  }
}

/** In meaning: titles and descriptions are for people. */
function differs(one: SchemaIn, other: SchemaIn): boolean {
  return findMisfits(other, one).length > 0;
}

function at(subject: string, path: string): string {
  return path === "" ? subject : `${subject}: ${path}`;
}

function breaking(part: Part["part"], message: string): Part {
  return { part, effect: "breaking", message };
}

function compatible(part: Part["part"], message: string): Part {
  return { part, effect: "compatible", message };
}
