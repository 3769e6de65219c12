import {
  ACTION_ENVELOPE_BYTES,
  type BodyKind,
  bodyKindOf,
  bodyLimits,
  type RouteDefinition,
} from "@jackfield/contract";
import { AppError } from "../errors.ts";
import type { JsonBounds } from "./json-fault.ts";

/** How much a body of one route may hold in this installation. */
export interface Room extends JsonBounds {
  readonly bytes: number;
  /** The setting that makes it so; undefined where the route does. */
  readonly setting: string | undefined;
}

export interface RoomSettings {
  readonly bodyLimitBytes: number;
  /** Input of an action, in bytes of JSON. */
  readonly actionValueLimitBytes?: number;
}

/** Undefined where bodies are passed on as they come. */
export function roomOf(route: RouteDefinition, settings: RoomSettings): Room | undefined {
  const kind = bodyKindOf(route);
  if (kind === "stream") return undefined;
  const { values, names } = bodyLimits[kind];
  const bytes = bytesOf(kind, settings);
  if (bytes >= settings.bodyLimitBytes) {
    return { bytes: settings.bodyLimitBytes, values, names, setting: "SVC_BODY_LIMIT" };
  }
  const setting = kind === "action" ? "SVC_ACTION_VALUE_LIMIT" : undefined;
  return { bytes, values, names, setting };
}

function bytesOf(
  kind: Exclude<BodyKind, "stream">,
  { bodyLimitBytes, actionValueLimitBytes }: RoomSettings,
): number {
  if (kind === "deployment") return bodyLimitBytes;
  if (kind !== "action" || actionValueLimitBytes === undefined) return bodyLimits[kind].bytes;
  return actionValueLimitBytes + ACTION_ENVELOPE_BYTES;
}

export function tooLarge({ bytes, setting }: Room): AppError {
  const whose =
    setting === undefined
      ? "the limit of this route; send less in one request"
      : `the limit that the operator sets (${setting}); send less in one request`;
  return new AppError("request_too_large", `The body is larger than ${bytes} bytes, ${whose}.`);
}
