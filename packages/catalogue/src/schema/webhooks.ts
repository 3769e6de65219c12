import * as z from "zod";

/** How the provider's webhooks are verified, and whose connection their events are about. */

const headerName = z
  .string()
  .max(255)
  .toLowerCase()
  .regex(/^[a-z0-9-]+$/);

/** `header:<name>`, or names of the body's JSON with dots between them. */
const place = z.string().min(1).max(255);

const connectionProperty = z
  .string()
  .max(255)
  .regex(/^(connectionId|(config|metadata)\.[A-Za-z_][A-Za-z0-9_.-]*)$/)
  .transform((text) => text as "connectionId" | `config.${string}` | `metadata.${string}`);

/** A provider that signs by HMAC (RFC 2104), described as data. */
const hmac = z
  .strictObject({
    header: headerName,
    algorithm: z.enum(["sha1", "sha256", "sha512"]).default("sha256"),
    encoding: z.enum(["hex", "base64"]).default("hex"),
    /** Comes before the signature in the header. */
    prefix: z.string().max(255).optional(),
    /** What is signed: `{body}`, `{timestamp}`, `{url}`, `{method}` and text between them. */
    signed: z
      .string()
      .max(200)
      .refine((text) => text.split("{body}").length === 2, "must have {body} in it, once")
      .optional(),
    /** Holds the time, in seconds since 1970. */
    timestamp_header: headerName.optional(),
    tolerance_seconds: z.number().int().positive().optional(),
    /** The secret of the integration's webhooks unless set. */
    secret: z.enum(["webhook", "client"]).optional(),
    /** Nothing is taken as long as no secret is set. */
    required: z.boolean().optional(),
    type: place.optional(),
    event_id: place.optional(),
    /** In order: where the event names the account, and what of the connection has to equal it. */
    match: z
      .array(z.strictObject({ value: place, property: connectionProperty }))
      .max(10)
      .optional(),
  })
  .refine(
    (entry) =>
      (entry.timestamp_header !== undefined) === (entry.signed?.includes("{timestamp}") ?? false),
    {
      message:
        "a time that is not signed proves nothing: timestamp_header goes with {timestamp} in signed",
    },
  )
  .refine(
    (entry) => entry.tolerance_seconds === undefined || entry.timestamp_header !== undefined,
    {
      message: "tolerance_seconds needs a timestamp_header",
    },
  );
export type HmacRouting = z.output<typeof hmac>;

export const webhooks = z
  .strictObject({
    /** A router of the server, by its name in `webhook-routers.ts`. */
    router: z.string().optional(),
    hmac: hmac.optional(),
    /** False where the connection holds nothing by which its events could be found. */
    matched: z.boolean().default(true),
    /** JSON pointer (RFC 6901) to a number of the event that goes up by 1 for each connection. */
    sequence: z
      .string()
      .max(255)
      .regex(/^(\/[^/]{1,100}){1,5}$/)
      .optional(),
  })
  .refine((entry) => (entry.router === undefined) !== (entry.hmac === undefined), {
    message: "webhooks name either a router or hmac",
  });
