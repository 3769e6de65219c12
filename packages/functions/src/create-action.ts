import type { SyncEndpoint } from "./create-sync.ts";
import type { CheckpointSchema, InputOf, MetadataSchema, Schema } from "./schemas.ts";
import type { SvcAction } from "./svc.ts";

/** An action: does one thing on demand and answers its caller. */
export interface CreateActionProps<
  Input extends Schema,
  Output extends Schema,
  Metadata extends MetadataSchema = undefined,
  Checkpoint extends CheckpointSchema = undefined,
> {
  /** At most 2000 characters. */
  description: string;
  /** `z.void()` for none. */
  input: Input;
  output: Output;
  /** Input and output are checked against the schemas and passed on as they are. */
  exec: (
    svc: SvcAction<Metadata, Checkpoint>,
    input: InputOf<Input>,
  ) => InputOf<Output> | Promise<InputOf<Output>>;
  version?: string;
  metadata?: Metadata;
  checkpoint?: Checkpoint;
  scopes?: string[];
  /** @deprecated */
  endpoint?: SyncEndpoint;
}

export interface CreateActionResponse<
  Input extends Schema,
  Output extends Schema,
  Metadata extends MetadataSchema = undefined,
  Checkpoint extends CheckpointSchema = undefined,
> extends CreateActionProps<Input, Output, Metadata, Checkpoint> {
  type: "action";
}

/** Defines an action; make it the default export of its file. */
export function createAction<
  Input extends Schema,
  Output extends Schema,
  Metadata extends MetadataSchema = undefined,
  Checkpoint extends CheckpointSchema = undefined,
>(
  props: CreateActionProps<Input, Output, Metadata, Checkpoint>,
): CreateActionResponse<Input, Output, Metadata, Checkpoint> {
  return { ...props, type: "action" };
}
