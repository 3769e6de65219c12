import { type RouteDefinition, statusOnRoute } from "@jackfield/contract";
import { type RoomSettings, roomOf, tooLarge } from "../../bodies/index.ts";
import { findDatabaseAway } from "../../db/index.ts";
import { AppError } from "../../errors.ts";

export interface PresentedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: Record<string, unknown> };
  readonly unexpected: boolean;
}

export interface ErrorSurroundings {
  readonly errorId: string;
  /** The route that failed, which may have statuses of its own; undefined where none was found. */
  readonly route: RouteDefinition | undefined;
  readonly settings: RoomSettings;
}

/** The standard error body; a database that is away is recognized where its failure was wrapped, too; what was not foreseen becomes 500 with an id only. */
export function presentError(
  thrown: unknown,
  { errorId, route, settings }: ErrorSurroundings,
): PresentedError {
  const known =
    findDatabaseAway(thrown) ??
    (thrown instanceof AppError ? thrown : fromFramework(thrown, route, settings));
  const error =
    known ?? new AppError("server_error", undefined, { details: [{ id: errorId }], cause: thrown });
  return {
    status: route === undefined ? error.status : statusOnRoute(route, error.code),
    headers: error.headers,
    body: {
      error: {
        code: error.code,
        message: shorten(error.message),
        ...(error.details === undefined ? {} : { errors: error.details }),
      },
    },
    unexpected: known === undefined || error.code === "server_error",
  };
}

// Messages name what was sent; the answer stays small regardless of its length.
const LONGEST_MESSAGE = 20_000;

function shorten(message: string): string {
  return message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;
}

/** Errors that fastify raises before a handler runs, by its codes. */
function fromFramework(
  thrown: unknown,
  route: RouteDefinition | undefined,
  settings: RoomSettings,
): AppError | undefined {
  switch (codeOf(thrown)) {
    case "FST_ERR_CTP_BODY_TOO_LARGE": {
      const room = route === undefined ? undefined : roomOf(route, settings);
      return room === undefined ? new AppError("request_too_large") : tooLarge(room);
    }
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new AppError("invalid_content_type");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new AppError("invalid_request", "Content-Length does not match the body.");
    case "FST_ERR_MAX_PARAM_LENGTH":
      return new AppError(
        "invalid_uri_params",
        "A part of the path has more than 2048 characters; no name is that long.",
      );
    case "FST_ERR_BAD_URL":
      return new AppError("invalid_uri_params", "The path has a bad percent sign.");
    default:
      return undefined;
  }
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
