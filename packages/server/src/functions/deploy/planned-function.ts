import type { FunctionType } from "../deployed-function.ts";

/** A function as plans name it. */
export interface PlannedFunction {
  /** Undefined for one that is new. */
  readonly id?: number;
  readonly type: FunctionType;
  readonly name: string;
  readonly integrationId: number;
  readonly integrationKey: string;
}
