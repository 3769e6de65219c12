import { createHash } from "node:crypto";
import {
  cleanText,
  copyTree,
  DocumentError,
  type Effect,
  listOperations,
  type Operation,
  objectField,
  parseText,
  presentOperation,
  textField,
  toDocument,
  Unsupported,
} from "@jackfield/functions/openapi";
import { signatureOf } from "../../catalogue/signature.ts";
import { type PlannedOperation, planOperation } from "./plan-operation.ts";

/** Which operations become tools, and what is said of them in place of the document. */
export interface DocumentOptions {
  /** Operation ids, names of tools, `GET /path`, or tags; undefined: all operations. */
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
  /** By operation id, name of the tool or `GET /path`. */
  readonly effects: Readonly<Record<string, Effect>> | undefined;
  readonly basePath: string | undefined;
}

/** A tool as it is stored. */
export interface OperationRow {
  readonly name: string;
  readonly operationId: string | null;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  readonly effect: Effect;
  /** Whether the effect is somebody's word and not the method's. */
  readonly isEffectGiven: boolean;
  readonly title: string;
  readonly summary: string;
  readonly signature: string;
  /** Of its definition as a model reads it. */
  readonly bytes: number;
  /** JSON of a StoredDefinition. */
  readonly definition: string;
  readonly digest: Buffer;
}

export interface StoredDefinition
  extends Pick<PlannedOperation, "description" | "inputSchema" | "request"> {}

export interface Refusal {
  /** `GET /contacts/{id}` */
  readonly operation: string;
  /** A predicate, such as `needs a body`. */
  readonly reason: string;
}

export interface PlannedDocument {
  readonly title: string;
  readonly version: string;
  readonly operations: readonly OperationRow[];
  readonly refused: readonly Refusal[];
  /** How many were not chosen. */
  readonly excluded: number;
}

export const MOST_OPERATIONS = 3000;
const SUMMARY = 300;
/** Of the schemas of a document together, and of one of them. */
const SCHEMA_BYTES = 48 * 1024 * 1024;
const LARGEST_SCHEMA = 128 * 1024;
const MOST_NAMED = 5;

/** Makes tools of a document; throws DocumentError for one that cannot be read, and for what it does not have. */
export async function planDocument(
  text: string,
  options: DocumentOptions,
): Promise<PlannedDocument> {
  const parsed = copyTree(await parseText(text, "The document"), (reference) => reference);
  const document = await toDocument(parsed, "The document");
  const info = objectField(document.root, "info");
  const all = listOperations(document);
  const chosen = choose(all, options);
  if (chosen.length > MOST_OPERATIONS) {
    throw new DocumentError(
      `${chosen.length} operations are chosen; at most ${MOST_OPERATIONS} become tools: name some by include or exclude.`,
    );
  }
  const effects = readEffects(all, options.effects ?? {});
  const schemaBytes = Math.min(
    LARGEST_SCHEMA,
    Math.floor(SCHEMA_BYTES / Math.max(1, chosen.length)),
  );
  const operations: OperationRow[] = [];
  const refused: Refusal[] = [];
  for (const operation of chosen) {
    try {
      const plan = planOperation(document, operation, { basePath: options.basePath, schemaBytes });
      operations.push(toRow(operation, plan, effects.get(operation)));
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      const shown = cleanText(presentOperation(operation), SUMMARY);
      refused.push({ operation: shown, reason: error.message });
    }
  }
  return {
    title: cleanText(textField(info, "title") ?? "", 120),
    version: cleanText(textField(info, "version") ?? "", 60),
    ...{ operations, refused, excluded: all.length - chosen.length },
  };
}

function toRow(
  operation: Operation,
  { description, inputSchema, outputSchema, request, ...plan }: PlannedOperation,
  effect: Effect | undefined,
): OperationRow {
  const definition = JSON.stringify({
    description,
    inputSchema,
    request,
  } satisfies StoredDefinition);
  const { name, title } = plan;
  const shown = JSON.stringify({ name, title, description, inputSchema });
  return {
    ...{ name, title, tags: plan.tags, operationId: plan.operationId ?? null },
    ...{ method: request.method, path: cleanText(operation.path, 500) },
    effect: effect ?? plan.effect,
    isEffectGiven: effect !== undefined,
    summary: description.slice(0, SUMMARY).toWellFormed(),
    signature: signatureOf(inputSchema, outputSchema),
    bytes: Buffer.byteLength(shown),
    definition,
    digest: createHash("sha256").update(definition).digest(),
  };
}

function choose(all: readonly Operation[], { include, exclude }: DocumentOptions): Operation[] {
  const included = include && toWanted(all, include, "include");
  const excluded = exclude && toWanted(all, exclude, "exclude");
  return all.filter((each) => (included?.has(each) ?? true) && !(excluded?.has(each) ?? false));
}

/** Throws DocumentError where a name is of nothing: it would be missed later. */
function toWanted(
  all: readonly Operation[],
  names: readonly string[],
  field: string,
): ReadonlySet<Operation> {
  const byName = indexOf(all, (each) => [...namesOf(each), ...each.tags]);
  requireKnown(byName, names, field);
  return new Set(names.flatMap((name) => byName.get(name) ?? []));
}

function readEffects(
  all: readonly Operation[],
  effects: Readonly<Record<string, Effect>>,
): ReadonlyMap<Operation, Effect> {
  const byName = indexOf(all, namesOf);
  requireKnown(byName, Object.keys(effects), "effects");
  return new Map(
    Object.entries(effects).flatMap(([name, effect]) =>
      (byName.get(name) ?? []).map((each) => [each, effect] as const),
    ),
  );
}

function namesOf(operation: Operation): string[] {
  const { id, action } = operation;
  return [action, presentOperation(operation), ...(id === undefined ? [] : [id])];
}

function indexOf(all: readonly Operation[], named: (each: Operation) => readonly string[]) {
  const found = new Map<string, Operation[]>();
  for (const each of all) {
    for (const name of new Set(named(each))) {
      const known = found.get(name);
      if (known === undefined) found.set(name, [each]);
      else known.push(each);
    }
  }
  return found;
}

function requireKnown(
  known: ReadonlyMap<string, unknown>,
  names: readonly string[],
  field: string,
): void {
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const shown = unknown.slice(0, MOST_NAMED).map((name) => JSON.stringify(cleanText(name, 100)));
  throw new DocumentError(`${field}: the document has no ${shown.join(", ")}.`);
}
