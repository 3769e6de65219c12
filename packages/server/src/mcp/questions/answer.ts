import type { RuntimeParams, RuntimeResult } from "@jackfield/contract/runtime";
import * as z from "zod";
import { digestOf } from "../digest.ts";

export type Question = RuntimeParams<"elicit">;
export type Answer = RuntimeResult<"elicit">;

/** An answer that somebody gave. */
export interface GivenAnswer {
  /** Digest of the question that was asked; undefined where the client gave it unasked. */
  readonly question?: string | undefined;
  readonly answer: Answer;
}

const MOST_FIELDS = 50;
const LONGEST_TEXT = 10_000;

const text = z.string().max(LONGEST_TEXT);
const content = z
  .record(z.string().max(100), z.union([text, z.number(), z.boolean(), z.array(text).max(100)]))
  .refine((fields) => Object.keys(fields).length <= MOST_FIELDS);
const answerSchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("accept"), content: content.optional() }),
  z.object({ action: z.enum(["decline", "cancel"]) }),
]);

/** What a client answered; undefined for what is no answer. */
export function parseAnswer(value: unknown): Answer | undefined {
  return answerSchema.safeParse(value).data;
}

export function digestQuestion({ key, message, schema }: Question): string {
  return digestOf([key, message, schema]).toString("base64url");
}

/** Whether an answer is one to this question: the fields that it needs, each of its type. */
export function fitsQuestion({ action, content = {} }: Answer, { schema }: Question): boolean {
  if (action !== "accept") return true;
  const isComplete = (schema.required ?? []).every((name) => content[name] !== undefined);
  return (
    isComplete &&
    Object.entries(content).every(([name, value]) => {
      const field = schema.properties[name];
      return field === undefined || fitsField(value, field);
    })
  );
}

function fitsField(value: unknown, field: Readonly<Record<string, unknown>>): boolean {
  const { enum: choices } = field;
  switch (field["type"]) {
    case "string":
      return typeof value === "string" && (!Array.isArray(choices) || choices.includes(value));
    case "number":
      return typeof value === "number";
    case "integer":
      return Number.isInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "array":
      return Array.isArray(value);
    default:
      return true;
  }
}
