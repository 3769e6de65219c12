import type { Schema, UntypedData } from "../schemas.ts";

/** What createSync, createAction and createOnEvent return, without the types of its schemas. */
export interface AnyDefinition {
  readonly type: "sync" | "action" | "on-event";
  readonly exec: (svc: UntypedData, input?: UntypedData) => unknown;
  readonly onWebhook?: (svc: UntypedData, payload: UntypedData) => unknown;
  readonly models?: Readonly<Record<string, Schema>>;
  readonly input?: Schema | undefined;
  readonly output?: Schema | undefined;
  readonly metadata?: Schema | undefined;
  readonly checkpoint?: Schema | undefined;
}
