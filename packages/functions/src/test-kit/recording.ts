import { runError } from "@jackfield/contract/runtime";
import * as z from "zod";
import { type OtherRecording, parseOtherRecording } from "./other-recording.ts";

/** The file that `jackfield dryrun --save` writes and `jackfield test` replays: `<integration>/tests/<name>.test.json`. */

/** Bytes as they can be read best: JSON, else text, else base64. */
export const recordedBody = z.union([
  z.strictObject({ json: z.unknown() }),
  z.strictObject({ text: z.string() }),
  z.strictObject({ base64: z.string() }),
]);
export type RecordedBody = z.infer<typeof recordedBody>;

export const recordedCall = z.strictObject({
  /** `GET /contacts` for a call to the provider, else the name of the server's call. */
  call: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
  body: recordedBody.optional(),
  answer: z
    .strictObject({
      status: z.number().int().optional(),
      headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
      value: z.unknown().optional(),
      body: recordedBody.optional(),
    })
    .optional(),
  failure: runError.optional(),
});
export type RecordedCall = z.infer<typeof recordedCall>;

const jsonObject = z.record(z.string(), z.unknown());
const modelChanges = z.strictObject({
  saved: z.array(jsonObject).default([]),
  updated: z.array(jsonObject).default([]),
  /** Ids. */
  deleted: z.array(z.string()).default([]),
});
export type ModelChanges = z.infer<typeof modelChanges>;

/** What a run did that can be seen from outside. */
export const runResult = z.strictObject({
  output: z.unknown().optional(),
  records: z.record(z.string(), modelChanges).optional(),
  checkpoint: jsonObject.nullable().optional(),
  metadata: jsonObject.optional(),
  /** Of a run that failed. */
  error: z.strictObject({ type: z.string(), message: z.string() }).optional(),
});
export type RunResult = z.infer<typeof runResult>;

export const recordedCase = z.strictObject({
  name: z.string().min(1),
  kind: z.enum(["sync", "webhook", "action", "on-event"]),
  connection: z.strictObject({ id: z.string(), provider: z.string() }),
  input: z.unknown().optional(),
  metadata: jsonObject.optional(),
  checkpoint: jsonObject.optional(),
  lastSyncDate: z.string().optional(),
  variant: z.string().optional(),
  /** File next to this one with the run's tape, which is replayed in place of `calls`. */
  tape: z
    .string()
    .regex(/^[\w.-]+$/)
    .optional(),
  calls: z.array(recordedCall),
  result: runResult,
});
export type RecordedCase = z.infer<typeof recordedCase> & {
  /** What was read from a file of another platform's format; `calls` and `result` are then empty. */
  readonly other?: OtherRecording | undefined;
};

export const recording = z.strictObject({
  format: z.literal(1),
  integration: z.string(),
  function: z.string(),
  cases: z.array(recordedCase).min(1),
});
export type Recording = Omit<z.infer<typeof recording>, "cases"> & {
  readonly cases: readonly RecordedCase[];
};

/** The whole file as text, with a new line at its end. */
export function formatRecording(value: Recording): string {
  return `${JSON.stringify(recording.parse(value), undefined, 2)}\n`;
}

/** Throws an Error that names the first thing which does not fit; `subject` is for formats that do not name it. */
export function parseRecording(
  text: string,
  subject?: Pick<Recording, "integration" | "function">,
): Recording {
  const value = parseJson(text);
  const parsed = recording.safeParse(value);
  if (parsed.success) return parsed.data;
  const other = subject === undefined ? undefined : parseOtherRecording(value);
  if (subject !== undefined && other !== undefined) {
    return { format: 1, ...subject, cases: [toCase(other, subject.integration)] };
  }
  throw new Error(`it is no recording of this version: ${z.prettifyError(parsed.error)}`);
}

function toCase(other: OtherRecording, integration: string): RecordedCase {
  const { input, nango = {} } = other;
  const connection = nango.getConnection ?? {};
  const isSync = nango.batchSave !== undefined || nango.batchDelete !== undefined;
  return {
    name: "recorded elsewhere",
    kind: isSync ? "sync" : "action",
    connection: {
      id: textOf(connection["connectionId"] ?? connection["connection_id"]) ?? "local",
      provider: textOf(connection["provider"]) ?? integration,
    },
    ...(input !== undefined && { input }),
    ...(nango.getMetadata != null && { metadata: nango.getMetadata }),
    calls: [],
    result: {},
    other,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error("it is no JSON", { cause });
  }
}

export function toRecordedBody(bytes: Uint8Array): RecordedBody | undefined {
  if (bytes.byteLength === 0) return undefined;
  const text = decodeText(bytes);
  if (text === undefined) return { base64: Buffer.from(bytes).toString("base64") };
  if (!/^\s*[[{]/.test(text)) return { text };
  try {
    return { json: JSON.parse(text) };
  } catch {
    return { text };
  }
}

export function fromRecordedBody(body: RecordedBody | undefined): Uint8Array {
  if (body === undefined) return new Uint8Array(0);
  if ("base64" in body) return Buffer.from(body.base64, "base64");
  return Buffer.from("text" in body ? body.text : JSON.stringify(body.json));
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
