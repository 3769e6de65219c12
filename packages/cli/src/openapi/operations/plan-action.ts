import {
  type Answer,
  type BaseAddress,
  basePathOf,
  cleanText,
  type Effect,
  effectOf,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  presentTexts,
  readAnswer,
  readBody,
  readParameters,
  Unsupported,
} from "@jackfield/functions/openapi";
import { start } from "../schemas/conversion.ts";
import { convertWithin } from "../schemas/new-conversion.ts";
import { toEndpoint } from "../source/to-endpoint.ts";
import { findPages, type Pages } from "./find-pages.ts";
import { type InputPlan, isUsable, planInput } from "./plan-input.ts";

/** All that the source of an action says. */
export interface ActionPlan {
  readonly operation: Operation;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  /** A literal of the path. */
  readonly endpoint: string;
  readonly input: InputPlan;
  readonly answer: Answer;
  /** Source of the output's schema, without what an answer of bytes or headers has. */
  readonly output: string;
  readonly pages: Pages | undefined;
  readonly notes: readonly string[];
}

const DESCRIPTION = 700;

/** Throws Unsupported with the reason why an operation cannot become an action. */
export function planAction(
  document: OpenApiDocument,
  operation: Operation,
  { base, effect = effectOf(operation.method) }: { base: BaseAddress; effect: Effect | undefined },
): ActionPlan {
  if (operation.method === "options" || operation.method === "trace") {
    throw new Unsupported(`is ${operation.method.toUpperCase()}, which functions do not send`);
  }
  const parameters = readParameters(document, operation);
  const body = readBody(document, operation);
  const answer = readAnswer(document, operation);
  const pages = findUsablePages(document, { operation, parameters, answer });
  const input = convertWithin(document, "input", (c) => planInput(c, { parameters, body, pages }));
  const output = convertWithin(document, "output", (c) => c.convert(c, answer.schema, start));
  const keys = input.converted.parameters.filter(({ parameter }) => parameter.place === "path");
  const path = `${basePathOf(document, operation, base)}${operation.path}`;
  return {
    ...{ operation, effect, answer, pages },
    ...presentTexts(operation, DESCRIPTION),
    endpoint: toEndpoint(path, new Map(keys.map(({ parameter, key }) => [parameter.name, key]))),
    input: input.converted,
    output: output.converted,
    notes: [
      ...[...input.notes].map((note) => `in the input, ${cleanText(note, 120)}`),
      ...[...output.notes].map((note) => `in the output, ${cleanText(note, 120)}`),
    ],
  };
}

function findUsablePages(
  document: OpenApiDocument,
  {
    operation,
    parameters,
    answer,
  }: Pick<ActionPlan, "operation" | "answer"> & {
    parameters: readonly Parameter[];
  },
): Pages | undefined {
  if (operation.method !== "get" || answer.kind !== "json") return undefined;
  const { converted: pages } = convertWithin(document, "output", (c) =>
    findPages(c, parameters, answer.schema),
  );
  return isUsable(pages, parameters) ? pages : undefined;
}
