import type { TargetRow } from "../target/store.ts";

/** A change as an object has it. */
export type ChangeRow =
  | (TargetRow & {
      readonly type: "record";
      /** Of the feed; grows from object to object, over all models. */
      readonly position: number;
    })
  | (Pick<TargetRow, "source" | "integration" | "connectionId" | "model" | "variant"> & {
      /** All records of the source were removed at once. */
      readonly type: "removed";
      readonly position: number;
    });

export const MICROSECONDS_TO_2000 = Date.UTC(2000, 0) * 1000;
