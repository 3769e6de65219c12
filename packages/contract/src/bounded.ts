import * as z from "zod";

/**
 * Schemas of what a function's process sends. Each is bounded, and a list or a table tells of one fault however many
 * it holds: wording all of a forged message would hold the server for seconds.
 */
const boundedSchemas = new WeakSet<z.ZodType>();

/** Whether a schema bounds its own content; others are bounded by what they are made of. */
export function isBounded(schema: z.ZodType): boolean {
  return boundedSchemas.has(schema);
}

function bounded<Schema extends z.ZodType>(schema: Schema): Schema {
  boundedSchemas.add(schema);
  return schema;
}

export function listOf<const Item extends z.ZodType>(item: Item, max: number) {
  const isItem = (value: unknown) => item.safeParse(value).success;
  return bounded(
    z.custom<z.output<Item>[]>(
      (value) => Array.isArray(value) && value.length <= max && value.every(isItem),
      { error: ({ input }) => describeList(input, { max, isItem }) },
    ),
  );
}

function describeList(
  input: unknown,
  { max, isItem }: { max: number; isItem: (value: unknown) => boolean },
): string {
  if (!Array.isArray(input)) return "must be a list";
  if (input.length > max) return `has ${input.length} items; at most ${max} are allowed`;
  return `item ${input.findIndex((value) => !isItem(value)) + 1} is not valid`;
}

export function tableOf<const Value extends z.ZodType>(
  value: Value,
  { max, nameLength }: { max: number; nameLength: number },
) {
  const isMember = ([name, member]: [string, unknown]) =>
    name !== "" && name.length <= nameLength && value.safeParse(member).success;
  return bounded(
    z.custom<Record<string, z.output<Value>>>(
      (input) => {
        if (!isPlainObject(input)) return false;
        const members = Object.entries(input);
        return members.length <= max && members.every(isMember);
      },
      {
        error: `must be an object of at most ${max} valid members, with names of 1 to ${nameLength} characters`,
      },
    ),
  );
}

/** An object whose content only the message's own limits bound (`frame-limits.ts`). */
export const freeObject = bounded(
  z.custom<Record<string, unknown>>(isPlainObject, { error: "must be an object" }),
);

/** Any JSON value within the message's own limits (`frame-limits.ts`). */
export const freeValue = bounded(z.unknown());

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !Object.hasOwn(value, "__proto__");
}
