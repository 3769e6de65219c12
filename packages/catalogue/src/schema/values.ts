import * as z from "zod";
import {
  compilePathTemplate,
  compileTemplate,
  compileUrlTemplate,
  type Template,
  TemplateError,
} from "../templates/template.ts";

/** Building blocks of entries: templates, fields and parameters. */

function compiled(compile: (text: string) => Template) {
  return z.string().transform((text, ctx) => {
    try {
      return compile(text);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      ctx.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  });
}

export const text = compiled(compileTemplate);
export const address = compiled(compileUrlTemplate);
/** A path below the base URL, with or without a query. */
export const path = compiled(compilePathTemplate);

/** One address, or several: the first whose values are all known is used. */
export const addresses = z
  .union([address, z.array(address).min(1)])
  .transform((given) => [given].flat());

export const fieldName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/);

export interface Alias {
  readonly name: string;
  readonly suffix: string;
  readonly without: readonly string[];
}

/**
 * Another name of a field. Where what is given under it has another form: `suffix` is what it lacks at its end, and
 * the texts of `without` are taken off its start and end.
 */
const alias = z
  .union([
    z.string().transform((name) => ({ name })),
    z.strictObject({ name: z.string(), suffix: z.string().min(1) }),
    z.strictObject({ name: z.string(), without: z.array(z.string().min(1)).min(1) }),
  ])
  .transform((given): Alias => ({ suffix: "", without: [], ...given }))
  .refine(({ name }) => /^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name), { message: "is no field's name" });

/** One value that is entered to configure an integration or to make a connection. */
export const field = z.strictObject({
  title: text,
  description: z.string().optional(),
  optional: z.boolean().default(false),
  /** `base_url`: an address without query; `template`: text with placeholders of the credentials. */
  format: z.enum(["uri", "base_url", "hostname", "template", "email", "uuid", "pem"]).optional(),
  enum: z.array(z.string()).min(1).optional(),
  /** What the whole value has to look like; never set for a secret. */
  pattern: z.string().optional(),
  default: z.string().optional(),
  example: z.string().optional(),
  /** Shown before and after the input, and taken off when a whole address was pasted. */
  prefix: z.string().optional(),
  suffix: z.string().optional(),
  secret: z.boolean().default(false),
  /** Filled by the server, not asked. */
  automated: z.boolean().default(false),
  /** Taken where it is given, asked of nobody. */
  hidden: z.boolean().default(false),
  /** Names in `connection_config` under which the value is taken too, for those who come from elsewhere. */
  aliases: z.array(alias).default([]),
});
export type Field = z.output<typeof field>;

export const fields = z.record(fieldName, field).default({});

/** Parameters and headers: one whose template names an optional value that was not given is left out. */
export const parameters = z.record(z.string().min(1), text).default({});

/** JSON with templates for texts; a field whose value is not known is left out. */
export type JsonTemplate =
  | Template
  | number
  | boolean
  | null
  | JsonTemplate[]
  | { [name: string]: JsonTemplate };

const jsonTemplate: z.ZodType<JsonTemplate> = z.lazy(() =>
  z.union([
    text,
    z.number(),
    z.boolean(),
    z.null(),
    z.array(jsonTemplate),
    z.record(z.string().min(1), jsonTemplate),
  ]),
);

export const jsonParameters = z.record(z.string().min(1), jsonTemplate).default({});

/** Names of parameters that the provider calls otherwise; an empty name leaves the parameter out. */
export const renames = z.record(z.string().min(1), z.string()).default({});

/** Dotted path into an answer, or `header:<name>`; of several, the first that is there counts. */
export const answerPaths = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
  .transform((given) => [given].flat());
