import { renderTemplate, type TemplateValues, type TokenStep } from "@jackfield/catalogue";
import {
  expectFields,
  expectHeaders,
  flatten,
  wantedOfAll,
  wantedOfJson,
} from "../calls/expect-fields.ts";
import {
  placeOf,
  type Received,
  Refusal,
  readFields,
  type Stage,
  toPlace,
} from "../exchange/received.ts";

/** Checks one call of a chain or of a login. */
export function checkStep(
  received: Received,
  { step, stage, values }: { step: TokenStep; stage: Stage; values: TemplateValues },
): void {
  requirePlace(stage, placeOf(received), renderTemplate(step.url, values));
  if (received.method !== step.method) {
    throw new Refusal(stage, `the method is ${received.method} instead of ${step.method}`);
  }
  expectHeaders(stage, received.headers, wantedOfAll(step.headers, values));
  const fields = readFields(received, step.body_format);
  const root = fields[step.xml_root];
  const isXml = step.body_format === "xml" && received.method !== "GET";
  const got = flatten(isXml && typeof root === "object" && root !== null ? { ...root } : fields);
  const fixed = [...new URL(renderTemplate(step.url, values)).searchParams.keys()];
  const wanted = wantedOfJson(step.params, values);
  const others = [...got].filter(([name]) => wanted.has(name) || !fixed.includes(name));
  expectFields({ stage, what: "the field", got: new Map(others), wanted });
}

/** Throws a Refusal for a request to another address. */
export function requirePlace(stage: Stage, place: string, url: string): void {
  if (place === toPlace(url)) return;
  throw new Refusal(stage, `the request went to ${place} instead of ${toPlace(url)}`);
}
