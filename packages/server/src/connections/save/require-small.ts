import { AppError, type EnvironmentContext } from "#foundation";

type Holder = Pick<EnvironmentContext, "settings">;

/** What goes with every connection: to lists, to functions, to webhooks. */
type Carried = "metadata" | "configuration";

/** Refuses metadata or configuration that is larger than a connection may carry; throws invalid_body. */
export function requireSmall(ctx: Holder, carried: Carried, value: object | undefined): void {
  if (value === undefined) return;
  requireFewBytes(ctx, carried, Buffer.byteLength(JSON.stringify(value)));
}

export function requireFewBytes({ settings }: Holder, carried: Carried, bytes: number): void {
  const limit = settings.metadataLimitBytes;
  if (bytes <= limit) return;
  throw new AppError(
    "invalid_body",
    `The ${carried} of a connection may have at most ${limit} bytes as JSON, and this has ${bytes}; keep large values elsewhere and store their ids here.`,
  );
}
