import type { FunctionReach } from "./egress.ts";
import type { CheckpointSchema, MetadataSchema, ModelSchemas, UntypedData } from "./schemas.ts";
import type { SvcSync } from "./svc.ts";

export interface SyncEndpoint {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  group?: string;
}

/** A sync: reads the provider's data on a schedule and saves it as records. */
export interface CreateSyncProps<
  Models extends ModelSchemas,
  Metadata extends MetadataSchema = undefined,
  Checkpoint extends CheckpointSchema = undefined,
> extends FunctionReach {
  /** At most 2000 characters. */
  description: string;
  /** For example `every hour` or `every 15 minutes`; at least 30 seconds. */
  frequency: string;
  /** Records by model name, each a zod object with a text `id`. */
  models: Models;
  exec: (svc: SvcSync<Models, Metadata, Checkpoint>) => void | Promise<void>;
  onWebhook?: (
    svc: SvcSync<Models, Metadata, Checkpoint>,
    payload: UntypedData,
  ) => void | Promise<void>;
  /** Webhook types that `onWebhook` takes; `*` for all. */
  webhookSubscriptions?: string[];
  checkpoint?: Checkpoint;
  metadata?: Metadata;
  /**
   * What happens to a record that does not match its model's schema. `quarantine`: it is not saved, what was saved of
   * it before stays, and the run continues; `GET /records/quarantine` lists it. `save`: it is saved, with a warning.
   * `fail`: the run fails. Left out: what the environment's settings say.
   */
  onInvalidRecord?: "quarantine" | "save" | "fail";
  /** Start the schedule when a connection is made; default false. */
  autoStart?: boolean;
  version?: string;
  scopes?: string[];
  /** @deprecated */
  endpoints?: SyncEndpoint[];
  /** @deprecated use checkpoints */
  syncType?: "full" | "incremental";
  /** @deprecated */
  trackDeletes?: boolean;
}

export interface CreateSyncResponse<
  Models extends ModelSchemas,
  Metadata extends MetadataSchema = undefined,
  Checkpoint extends CheckpointSchema = undefined,
> extends CreateSyncProps<Models, Metadata, Checkpoint> {
  type: "sync";
}

/** Defines a sync; make it the default export of its file. */
export function createSync<
  Models extends ModelSchemas,
  Metadata extends MetadataSchema = undefined,
  Checkpoint extends CheckpointSchema = undefined,
>(
  props: CreateSyncProps<Models, Metadata, Checkpoint>,
): CreateSyncResponse<Models, Metadata, Checkpoint> {
  return { ...props, type: "sync" };
}
