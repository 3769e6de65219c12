import {
  isCleanName,
  type JsonObject,
  type Parameter,
  type RequestBody,
} from "@jackfield/functions/openapi";
import { type Conversion, start } from "../schemas/conversion.ts";
import { toKey } from "../source/literals.ts";
import type { Pages } from "./find-pages.ts";
import { type BodyPlan, planBody, writeBodyFields } from "./plan-body.ts";

/** What an action is given, and where it goes. */
export interface InputPlan {
  /** Lines of its object schema. */
  readonly fields: readonly string[];
  /** Each parameter with the input's field that has its value. */
  readonly parameters: readonly { readonly parameter: Parameter; readonly key: string }[];
  readonly body: BodyPlan | undefined;
}

export function planInput(
  c: Conversion,
  given: {
    parameters: readonly Parameter[];
    body: RequestBody | undefined;
    pages: Pages | undefined;
  },
): InputPlan {
  const parameters = nameParameters(given.parameters);
  const keys = new Set(parameters.map(({ key }) => key));
  if (given.pages !== undefined) keys.add("pages");
  const body = given.body === undefined ? undefined : planBody(c, given.body, keys);
  const fields = parameters.map(({ parameter, key }) => {
    const { schema, description, isRequired } = parameter;
    const described = description === undefined ? schema : { ...schema, description };
    return toField(c, { key, schema: described, isRequired });
  });
  return {
    fields: [
      ...fields,
      ...(given.pages === undefined ? [] : [pagesField]),
      ...(body === undefined ? [] : writeBodyFields(c, body)),
    ],
    parameters,
    body,
  };
}

const pagesField =
  'pages: z.int().min(1).max(100).optional().describe("How many pages to fetch, 1 unless given."),';

/** Of two parameters with one name, the second has its place in its name, too. */
function nameParameters(parameters: readonly Parameter[]): InputPlan["parameters"] {
  const taken = new Set<string>();
  return parameters.map((parameter) => {
    let key = parameter.name;
    while (taken.has(key)) key = `${key}_${parameter.place}`;
    taken.add(key);
    return { parameter, key };
  });
}

function toField(
  c: Conversion,
  { key, schema, isRequired }: { key: string; schema: JsonObject; isRequired: boolean },
): string {
  return `${toKey(key)}: ${c.convert(c, schema, start, !isRequired)},`;
}

/** Whether each name can be a field of the answer or the input as it is. */
export function isUsable(pages: Pages | undefined, parameters: readonly Parameter[]): boolean {
  if (pages === undefined) return false;
  return (
    (pages.items === "" || isCleanName(pages.items)) &&
    parameters.every(({ name }) => name !== "pages")
  );
}
