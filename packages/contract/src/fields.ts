import * as z from "zod";

/** Field rules shared by several routes. Lengths are in UTF-16 units. */
export const integrationKey = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-zA-Z0-9~:.@ _-]+$/, "may hold letters, digits, spaces and ~ : . @ _ - only")
  .refine((key) => key !== "." && key !== "..", "may not be `.` or `..`");

export const connectionId = z
  .string()
  .min(1)
  .max(255)
  .regex(
    /^[a-zA-Z0-9,.;:=+~[\]|@${}"'\\/_ -]+$/,
    "has a character that a connection id may not have",
  );

export const functionName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-zA-Z0-9_-]+$/, "may hold letters, digits, _ and - only");

export const modelName = z
  .string()
  .min(1)
  .max(255)
  .regex(
    /^[A-Z][a-zA-Z0-9_-]*(::[a-zA-Z0-9_-]+)?$/,
    "must start with a capital letter; letters, digits, _ and - follow",
  );

/** A provider's id. */
export const providerName = z
  .string()
  .max(255)
  .regex(/^[a-zA-Z0-9_-]+$/, "may hold letters, digits, _ and - only");

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
  );

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
  );

export const webhookUrl = z.union([
  z.literal(""),
  z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).max(2048),
]);

const truthy = new Set(["true", "1", "yes", "on", "y", "enabled"]);
const falsy = new Set(["false", "0", "no", "off", "n", "disabled"]);

/** A boolean in a query string or header. */
export const flag = z.string().transform((text, ctx) => {
  const word = text.toLowerCase();
  if (truthy.has(word)) return true;
  if (falsy.has(word)) return false;
  ctx.addIssue({ code: "custom", message: "must be true or false" });
  return z.NEVER;
});

/** A whole number in a query string, within bounds. */
export function wholeNumber(bounds: { min: number; max: number }) {
  return z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(bounds.min).max(bounds.max));
}

export const timestamp = z.iso.datetime({ offset: true });

export const errorBody = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string().optional(),
    errors: z.array(z.record(z.string(), z.unknown())).optional(),
  }),
});

export const success = z.strictObject({ success: z.literal(true) });

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
