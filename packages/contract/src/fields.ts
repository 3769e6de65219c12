import * as z from "zod";
import { errorTable } from "./errors.ts";

/** Field rules shared by several routes. Lengths are in UTF-16 units. */
export const integrationKey = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-zA-Z0-9~:.@ _-]+$/, "may hold letters, digits, spaces and ~ : . @ _ - only")
  .refine((key) => key !== "." && key !== "..", "may not be `.` or `..`")
  .meta({
    id: "IntegrationKey",
    description: "Key of an integration (`unique_key`), unique in its environment.",
    examples: ["github"],
  });

export const connectionId = z
  .string()
  .min(1)
  .max(255)
  .regex(
    /^[a-zA-Z0-9,.;:=+~[\]|@${}"'\\/_ -]+$/,
    "has a character that a connection id may not have",
  )
  .meta({
    id: "ConnectionId",
    description:
      "Id of a connection, unique in its integration. You choose it when you make the connection; without a choice it is a random UUID.",
    examples: ["user-42"],
  });

export const functionName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-zA-Z0-9_-]+$/, "may hold letters, digits, _ and - only")
  .meta({
    id: "FunctionName",
    description: "Name of a function, unique among the functions of its type and integration.",
    examples: ["create-contact"],
  });

export const modelName = z
  .string()
  .min(1)
  .max(255)
  .regex(
    /^[A-Z][a-zA-Z0-9_-]*(::[a-zA-Z0-9_-]+)?$/,
    "must start with a capital letter; letters, digits, _ and - follow",
  )
  .meta({
    id: "ModelName",
    description:
      "Name of a record model as its sync declares it; `Model::variant` for the records of a variant.",
    examples: ["Contact"],
  });

/** A provider's id. */
export const providerName = z
  .string()
  .max(255)
  .regex(/^[a-zA-Z0-9_-]+$/, "may hold letters, digits, _ and - only")
  .meta({
    id: "ProviderName",
    description: "Id of a provider: of the catalogue (`GET /providers`), or of a custom provider.",
    examples: ["github"],
  });

/** Any JSON object. */
export const jsonObject = z.record(z.string(), z.unknown());

const MOST_TEXTS = 200;
const MOST_CHARACTERS = 65_536;

/** Texts by name, such as configuration: stored as they are, and read with what they belong to. */
export const namedTexts = z
  .record(z.string().min(1).max(255), z.string().max(8192))
  .refine(
    (texts) => Object.keys(texts).length <= MOST_TEXTS,
    `must have at most ${MOST_TEXTS} values`,
  )
  .refine(
    (texts) =>
      Object.entries(texts).reduce((sum, each) => sum + each.join("").length, 0) <= MOST_CHARACTERS,
    `must have at most ${MOST_CHARACTERS} characters in all`,
  )
  .meta({
    id: "NamedTexts",
    description:
      "Texts by name: at most 200 values, names of 1 to 255 and values of up to 8,192 characters, 65,536 characters in all.",
  });

const tagKey = z
  .string()
  .max(64, "must have at most 64 characters")
  .regex(
    /^[a-zA-Z][a-zA-Z0-9_\-./]*$/,
    "must start with a letter; letters, digits and _ - . / follow",
  );

/** Up to 10 tags; keys are written in lower case. */
export const tags = z
  .record(tagKey, z.string().min(1).max(255))
  .refine((value) => Object.keys(value).length <= 10, "must have at most 10 tags")
  .refine(
    (value) =>
      new Set(Object.keys(value).map((key) => key.toLowerCase())).size ===
      Object.keys(value).length,
    "has two keys that are the same in lower case",
  )
  .refine(
    (value) => {
      const email = Object.entries(value).find(
        ([key]) => key.toLowerCase() === "end_user_email",
      )?.[1];
      return email === undefined || z.email().safeParse(email).success;
    },
    { message: "must be an e-mail address", path: ["end_user_email"] },
  )
  .transform((value) =>
    Object.fromEntries(Object.entries(value).map(([key, text]) => [key.toLowerCase(), text])),
  )
  .meta({
    id: "Tags",
    description:
      "At most 10 texts by key. A key starts with a letter, has up to 64 characters (letters, digits, `_`, `-`, `.`, `/`) and is stored in lower case; a value has 1 to 255 characters.",
    examples: [{ end_user_id: "u1" }],
  });

export const webhookUrl = z
  .union([
    z.literal(""),
    z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).max(2048),
  ])
  .meta({
    id: "WebhookUrl",
    description: "An http or https URL of up to 2,048 characters; an empty string removes it.",
    examples: ["https://example.com/hooks"],
  });

const truthy = new Set(["true", "1", "yes", "on", "y", "enabled"]);
const falsy = new Set(["false", "0", "no", "off", "n", "disabled"]);

/** A boolean in a query string or header. */
export const flag = z
  .string()
  .transform((text, ctx) => {
    const word = text.toLowerCase();
    if (truthy.has(word)) return true;
    if (falsy.has(word)) return false;
    ctx.addIssue({ code: "custom", message: "must be true or false" });
    return z.NEVER;
  })
  .meta({
    id: "Flag",
    description:
      "`true` or `false`. `1`, `yes`, `on`, `y`, `enabled` and `0`, `no`, `off`, `n`, `disabled` are also accepted, in any case.",
  });

/** A whole number in a query string, within bounds. */
export function wholeNumber(bounds: { min: number; max: number }) {
  return z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(bounds.min).max(bounds.max));
}

export const timestamp = z.iso.datetime({ offset: true }).meta({
  id: "Timestamp",
  description: "A time in ISO 8601 with `Z` or an offset from UTC.",
  examples: ["2026-01-31T12:00:00.000Z"],
});

export const uuid = z.uuid().meta({
  id: "Uuid",
  description: "A UUID in the text form of RFC 9562.",
  examples: ["0190f5d2-8c1e-7f4a-b1c2-3d4e5f6a7b8c"],
});

export const functionType = z.enum(["sync", "action", "on-event"]).meta({
  id: "FunctionType",
  description:
    "Type of a function: a sync runs on a schedule, an action on demand, an on-event function when something happens to a connection.",
});

const meanings = Object.entries(errorTable).map(
  ([code, [status, message]]) => `- \`${code}\` (${status}): ${message}`,
);

const errorCode = z.string().meta({
  id: "ErrorCode",
  description: `Name of the error. It keeps its meaning between versions; new ones may be added. The number is the usual HTTP status.\n\n${meanings.join("\n")}`,
  examples: ["not_found"],
});

export const errorBody = z
  .strictObject({
    error: z
      .strictObject({
        code: errorCode,
        message: z
          .string()
          .optional()
          .describe(
            "What happened and what to change, in English and for people. The wording may change between versions.",
          ),
        errors: z
          .array(z.record(z.string(), z.unknown()))
          .optional()
          .describe(
            "Each fault of the request, as `{code, message, path}`: `path` leads to the value. Absent where there is only one thing to say. For a failed function, what the function or the provider reported.",
          ),
      })
      .describe("What went wrong."),
  })
  .meta({ id: "Error", description: "The answer to a call that failed." });

/** The same for routes whose older clients read the message elsewhere. */
export const errorWithMessage = errorBody
  .extend({ message: z.string().describe("Same as `error.message`.") })
  .meta({
    id: "ErrorWithMessage",
    description: "The answer to a call that failed, with the message in both places.",
  });

export const success = z
  .strictObject({
    success: z
      .literal(true)
      .describe("Always `true`: a failure is answered with an error instead."),
  })
  .meta({ id: "Success", description: "Confirms that the change was made." });

export const webAddress = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .max(2048, "must have at most 2048 characters");

// A host may have `;` and `,` in it, which end a source in a content security policy.
const originHost = /^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9._-]*[a-z0-9])?)(:\d{1,5})?$/;

/** Scheme, host and port of a web page, in the form that browsers send. */
export const webOrigin = webAddress.refine(
  (text) => originHost.test(text) && URL.parse(text)?.origin === text,
  "must be an origin, scheme and host only, such as https://app.example.com",
);

/** `include`: several names as a list, as repeated parameters, or with commas between them. */
export function includeOf<const Name extends string>(...names: readonly [Name, ...Name[]]) {
  const split = (value: unknown) =>
    [value].flat().flatMap((text) => (typeof text === "string" ? text.split(",") : [text]));
  return z
    .preprocess(
      (value) => (value === undefined ? undefined : split(value)),
      z
        .array(z.enum(names))
        .max(names.length * 2)
        .optional(),
    )
    .optional();
}

// What lists have in common that answer page after page.

/** `next_cursor` in an answer. */
export const nextCursor = z
  .string()
  .nullable()
  .describe("Where the next page begins; null on the last one.");

/** `cursor` in a query. */
export const pageCursor = z
  .string()
  .min(1)
  .max(1000)
  .optional()
  .describe("`next_cursor` of the page before, with the same filters. Default: the first page.");

/** `limit` in a query: how many `items`, as the description names them, a page may have. */
export function pageLimit(items: string, { most, usual }: { most: number; usual: number }) {
  return wholeNumber({ min: 1, max: most })
    .optional()
    .describe(
      `${items} on a page, 1 to ${most.toLocaleString("en")}. Default ${usual.toLocaleString("en")}.`,
    );
}

/** `limit` and `cursor` in a query. */
export function pageQuery(items: string, sizes: { most: number; usual: number }) {
  return { limit: pageLimit(items, sizes), cursor: pageCursor };
}

export const creator = z
  .strictObject({
    kind: z
      .enum(["key", "user", "system"])
      .describe(
        "`key`: an API key; `user`: a person; `system`: the first start, or the command line on the server.",
      ),
    id: z.string().nullable().describe("Id of the key or user; null for `system`."),
    name: z.string().nullable().describe("Its name at that time; null for `system`."),
  })
  .meta({ id: "Creator", description: "Who made it." });

interface NamedConnection {
  readonly provider_config_key?: string | undefined;
  readonly connection_id?: string | undefined;
}

/** Arguments of `refine` for a query that may name a connection. */
type ConnectionRule = [
  isNamed: (query: NamedConnection) => boolean,
  issue: { message: string; path: string[] },
];

/** Ids of connections are unique in their integration only. */
export const connectionNeedsIntegration: ConnectionRule = [
  ({ provider_config_key: integration, connection_id: connection }) =>
    connection === undefined || integration !== undefined,
  { message: "must be sent together with provider_config_key", path: ["connection_id"] },
];

/** The same, where an integration alone names nothing. */
export const connectionWithIntegration: ConnectionRule = [
  ({ provider_config_key: integration, connection_id: connection }) =>
    (integration === undefined) === (connection === undefined),
  {
    message: "must be sent together with provider_config_key, and the other way round",
    path: ["connection_id"],
  },
];

/** Where the time of a call to a provider went, in whole milliseconds. */
export const providerTiming = z.strictObject({
  credentials_ms: z
    .number()
    .int()
    .describe("Milliseconds for reading credentials, and for refreshing them if needed."),
  wait_ms: z
    .number()
    .int()
    .describe("Milliseconds of waiting between attempts and for the provider's rate limit."),
  upstream_ms: z
    .number()
    .int()
    .describe("Milliseconds until the provider began to answer, over all attempts."),
});
