import type * as z from "zod";
import type { SyncEndpoint } from "./create-sync.ts";
import type { CheckpointSchema, MetadataSchema } from "./schemas.ts";
import type { SvcAction } from "./svc.ts";

/** An action: does one thing on demand and answers its caller. */
export interface CreateActionProps<
  Input extends z.ZodType,
  Output extends z.ZodType,
  Metadata extends MetadataSchema = z.ZodVoid,
  Checkpoint extends CheckpointSchema = CheckpointSchema,
> {
  /** At most 2000 characters. */
  description: string;
  /** `z.void()` for none. */
  input: Input;
  output: Output;
  /** Input and output are checked against the schemas and passed on as they are. */
  exec: (
    svc: SvcAction<Metadata, Checkpoint>,
    input: z.input<Input>,
  ) => z.input<Output> | Promise<z.input<Output>>;
  version?: string;
  metadata?: Metadata;
  checkpoint?: Checkpoint;
  scopes?: string[];
  /** @deprecated */
  endpoint?: SyncEndpoint;
}

export interface CreateActionResponse<
  Input extends z.ZodType,
  Output extends z.ZodType,
  Metadata extends MetadataSchema = z.ZodVoid,
  Checkpoint extends CheckpointSchema = CheckpointSchema,
> extends CreateActionProps<Input, Output, Metadata, Checkpoint> {
  type: "action";
}

/** Defines an action; make it the default export of its file. */
export function createAction<
  Input extends z.ZodType,
  Output extends z.ZodType,
  Metadata extends MetadataSchema = z.ZodVoid,
  Checkpoint extends CheckpointSchema = CheckpointSchema,
>(
  props: CreateActionProps<Input, Output, Metadata, Checkpoint>,
): CreateActionResponse<Input, Output, Metadata, Checkpoint> {
  return { ...props, type: "action" };
}
