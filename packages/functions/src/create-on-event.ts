import type { FunctionReach } from "./egress.ts";
import type { CheckpointSchema, MetadataSchema } from "./schemas.ts";
import type { SvcOnEvent } from "./svc.ts";

export type OnEventName =
  | "post-connection-creation"
  | "pre-connection-deletion"
  | "validate-connection";

/** A function that runs at a point of a connection's life. */
export interface CreateOnEventProps<
  Metadata extends MetadataSchema = undefined,
  Checkpoint extends CheckpointSchema = undefined,
> extends FunctionReach {
  /** At most 2000 characters. */
  description: string;
  event: OnEventName;
  exec: (svc: SvcOnEvent<Metadata, Checkpoint>) => void | Promise<void>;
  version?: string;
  metadata?: Metadata;
  checkpoint?: Checkpoint;
}

export interface CreateOnEventResponse<
  Metadata extends MetadataSchema = undefined,
  Checkpoint extends CheckpointSchema = undefined,
> extends CreateOnEventProps<Metadata, Checkpoint> {
  type: "on-event";
}

/** Defines an on-event function; make it the default export of its file. */
export function createOnEvent<
  Metadata extends MetadataSchema = undefined,
  Checkpoint extends CheckpointSchema = undefined,
>(props: CreateOnEventProps<Metadata, Checkpoint>): CreateOnEventResponse<Metadata, Checkpoint> {
  return { ...props, type: "on-event" };
}
