/**
 * What these types need of a schema of zod 4, of any release: the part of `$ZodType` in `zod/v4/core` that stays the
 * same. The whole of it carries its release's number in its type, so that no other release's schemas would fit.
 */
export interface Schema<Output = unknown, Input = unknown> {
  readonly _zod: { readonly output: Output; readonly input: Input };
}

/** A schema made by `z.object()`. */
export interface ObjectSchema<Output = object, Input = object> {
  readonly _zod: {
    readonly output: Output;
    readonly input: Input;
    readonly def: { readonly type: "object" };
  };
}

interface VoidSchema {
  readonly _zod: {
    readonly output: unknown;
    readonly input: unknown;
    readonly def: { readonly type: "void" };
  };
}

/** The values that a schema takes; schemas check values and never change them. */
export type InputOf<Checked> = Checked extends { _zod: { input: unknown } }
  ? Checked["_zod"]["input"]
  : unknown;
export type OutputOf<Checked> = Checked extends { _zod: { output: unknown } }
  ? Checked["_zod"]["output"]
  : unknown;

/** A record model: a zod object whose `id` is text. */
export type ModelSchema = ObjectSchema<{ id: string }, { id: string }>;

/** The models that a sync writes, by name. */
export type ModelSchemas = Record<string, ModelSchema>;

/** What a function expects as its connection's metadata; `z.void()` or nothing for none. */
export type MetadataSchema = ObjectSchema | VoidSchema | undefined;

export type CheckpointValue = string | number | boolean;

/** A flat zod object of text, numbers, booleans and dates (dates are stored as ISO 8601 text). */
export type CheckpointSchema =
  | ObjectSchema<object, Record<string, CheckpointValue | Date | undefined>>
  | undefined;

/** A checkpoint as a function saves it. */
export type CheckpointOf<Checked extends CheckpointSchema> = Checked extends Schema
  ? InputOf<Checked>
  : Record<string, CheckpointValue | Date | undefined>;

/** Data from outside that nobody has described. */
// biome-ignore lint/suspicious/noExplicitAny: authors read provider answers without declaring a type first; unknown would force a cast onto each of them
export type UntypedData = any;

/** A record of any model, for code that serves several syncs. */
export interface AnyRecord {
  id: string | number;
  [field: string]: UntypedData;
}

/** A record as the author gives it: schemas check values and never change them. */
export type RecordOf<
  Models extends ModelSchemas,
  Name extends keyof Models,
> = string extends keyof Models ? AnyRecord : InputOf<Models[Name]>;

/** A record with any of its fields, at any depth; those that are absent stay as they are stored. */
export type RecordChangeOf<
  Models extends ModelSchemas,
  Name extends keyof Models,
> = string extends keyof Models
  ? AnyRecord
  : DeepPartial<InputOf<Models[Name]>> & { id: string | number };

type DeepPartial<Value> = Value extends readonly unknown[] | Date
  ? Value
  : Value extends object
    ? { [Key in keyof Value]?: DeepPartial<Value[Key]> | undefined }
    : Value;

/** What the server tells of a stored record. */
export interface RecordMetadata {
  first_seen_at: string;
  last_modified_at: string;
  last_action: "ADDED" | "UPDATED" | "DELETED";
  deleted_at: string | null;
  pruned_at: string | null;
  cursor: string;
  /** Present when the stored record cannot be read: it then has its `id` only. */
  damaged?: true | undefined;
}

/** A record as it is stored; after pruning only its id is left. */
export type StoredRecordOf<Models extends ModelSchemas, Name extends keyof Models> = RecordOf<
  Models,
  Name
> & { _svc_metadata: RecordMetadata };

/** Enough of a record to delete it: its id, and any other fields at hand. */
export type DeletedRecordOf<
  Models extends ModelSchemas,
  Name extends keyof Models,
> = string extends keyof Models
  ? AnyRecord
  : Partial<Omit<InputOf<Models[Name]>, "id" | "deletedAt">> & {
      id: string | number;
      deletedAt?: Date | string | null | undefined;
    };

/** Without a schema, the type that the author gives it. */
export type MetadataOf<Checked extends MetadataSchema> = Checked extends ObjectSchema
  ? InputOf<Checked>
  : UntypedData;

/** A saved checkpoint as it is read back: dates have become text. */
export type SavedCheckpoint<Checked extends CheckpointSchema> = {
  [Key in keyof CheckpointOf<Checked>]: Date extends CheckpointOf<Checked>[Key]
    ? Exclude<CheckpointOf<Checked>[Key], Date> | string
    : CheckpointOf<Checked>[Key];
};
