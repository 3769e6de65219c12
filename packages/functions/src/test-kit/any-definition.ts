import type * as z from "zod";
import type { UntypedData } from "../schemas.ts";

/** What createSync, createAction and createOnEvent return, without the types of its schemas. */
export interface AnyDefinition {
  readonly type: "sync" | "action" | "on-event";
  readonly exec: (svc: UntypedData, input?: UntypedData) => unknown;
  readonly onWebhook?: (svc: UntypedData, payload: UntypedData) => unknown;
  readonly models?: Readonly<Record<string, z.ZodType>>;
  readonly input?: z.ZodType;
  readonly output?: z.ZodType;
  readonly metadata?: z.ZodType;
  readonly checkpoint?: z.ZodType;
}
