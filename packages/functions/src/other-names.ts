import type { CreateActionResponse } from "./create-action.ts";
import type { CreateOnEventResponse } from "./create-on-event.ts";
import type { CreateSyncResponse } from "./create-sync.ts";
import type { CheckpointSchema, MetadataSchema, ModelSchemas, UntypedData } from "./schemas.ts";
import type { SvcAction, SvcSync } from "./svc.ts";

/** @deprecated the name of another platform's package; use `SvcAction` */
export type NangoAction<
  Metadata extends MetadataSchema = MetadataSchema,
  Checkpoint extends CheckpointSchema = CheckpointSchema,
> = SvcAction<Metadata, Checkpoint>;

/** @deprecated the name of another platform's package; use `SvcSync` */
export type NangoSync<
  Models extends ModelSchemas = ModelSchemas,
  Metadata extends MetadataSchema = MetadataSchema,
  Checkpoint extends CheckpointSchema = CheckpointSchema,
> = SvcSync<Models, Metadata, Checkpoint>;

/** What any of the three creators returns. */
export type CreateAnyResponse =
  | CreateSyncResponse<UntypedData, UntypedData, UntypedData>
  | CreateActionResponse<UntypedData, UntypedData, UntypedData, UntypedData>
  | CreateOnEventResponse<UntypedData, UntypedData>;
