import type * as z from "zod";

/** A record model: a zod object whose `id` is text. */
export type ModelSchema = z.ZodObject<{ id: z.ZodType<string, string> }>;

/** The models that a sync writes, by name. */
export type ModelSchemas = Record<string, ModelSchema>;

/** What a function expects as its connection's metadata; `z.void()` for none. */
export type MetadataSchema = z.ZodObject | z.ZodVoid;

export type CheckpointValue = string | number | boolean;

/** A flat zod object of text, numbers, booleans and dates (dates are stored as ISO 8601 text). */
export type CheckpointSchema = z.ZodObject<
  Record<string, z.ZodType<unknown, CheckpointValue | Date | undefined>>
>;

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
> = string extends keyof Models ? AnyRecord : z.input<Models[Name]>;

/** A record with any of its fields, at any depth; those that are absent stay as they are stored. */
export type RecordChangeOf<
  Models extends ModelSchemas,
  Name extends keyof Models,
> = string extends keyof Models
  ? AnyRecord
  : DeepPartial<z.input<Models[Name]>> & { id: string | number };

type DeepPartial<Value> = Value extends readonly unknown[] | Date
  ? Value
  : Value extends object
    ? { [Key in keyof Value]?: DeepPartial<Value[Key]> | undefined }
    : Value;

/** What the platform tells of a stored record. */
export interface RecordMetadata {
  first_seen_at: string;
  last_modified_at: string;
  last_action: "ADDED" | "UPDATED" | "DELETED";
  deleted_at: string | null;
  pruned_at: string | null;
  cursor: string;
  /** Present when what is stored of the record cannot be read: it then has its `id` only. */
  damaged?: true | undefined;
}

/** A record as it is stored; after pruning only its id is left. */
export type StoredRecordOf<Models extends ModelSchemas, Name extends keyof Models> = RecordOf<
  Models,
  Name
> & { _svc_metadata: RecordMetadata };

/** Enough of a record to delete it: its id, and whatever else is at hand. */
export type DeletedRecordOf<
  Models extends ModelSchemas,
  Name extends keyof Models,
> = string extends keyof Models
  ? AnyRecord
  : Partial<Omit<z.input<Models[Name]>, "id" | "deletedAt">> & {
      id: string | number;
      deletedAt?: Date | string | null | undefined;
    };

export type MetadataOf<Schema extends MetadataSchema> = Schema extends z.ZodObject
  ? z.input<Schema>
  : never;

/** A saved checkpoint as it is read back: dates have become text. */
export type SavedCheckpoint<Schema extends CheckpointSchema> = {
  [Key in keyof z.input<Schema>]: Date extends z.input<Schema>[Key]
    ? Exclude<z.input<Schema>[Key], Date> | string
    : z.input<Schema>[Key];
};
