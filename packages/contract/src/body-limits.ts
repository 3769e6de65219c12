/**
 * How much a request's body may hold, by the kind of route. Bytes bound memory and the time that reading takes; values
 * and names bound what parsing and validation cost, which small values can make a hundred times as dear as their bytes.
 * docs/limits.md shows this table, and a check keeps it in step.
 */
export interface BodyLimit {
  readonly bytes: number;
  /** Values of the JSON, each member of an object and each item of a list counted. */
  readonly values: number;
  /** Different names of members, in the whole body. */
  readonly names: number;
  /** The setting that moves `bytes`. No limit is above SVC_BODY_LIMIT. */
  readonly setting?: "SVC_ACTION_VALUE_LIMIT" | "SVC_BODY_LIMIT";
  readonly what: string;
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** Next to the input of an action, for the other fields and for another spelling of the same JSON. */
export const ACTION_ENVELOPE_BYTES = MEBIBYTE;

export const bodyLimits = {
  public: {
    bytes: 16 * KIBIBYTE,
    values: 1000,
    names: 1000,
    what: "routes without a key (telemetry, posted callbacks), and routes without a body",
  },
  // A private key and a certificate of 10,000 characters each, and a field of an entry at its 32,768.
  connectForm: {
    bytes: 64 * KIBIBYTE,
    values: 1000,
    names: 1000,
    what: "credentials that an end user enters, with room for a private key and a certificate",
  },
  ordinary: {
    bytes: MEBIBYTE,
    values: 10_000,
    names: 10_000,
    what: "every other route",
  },
  action: {
    bytes: 10 * MEBIBYTE + ACTION_ENVELOPE_BYTES,
    values: 500_000,
    names: 30_000,
    setting: "SVC_ACTION_VALUE_LIMIT",
    what: "input of an action, of a function's own endpoint, and of a dry run",
  },
  deployment: {
    bytes: 75 * MEBIBYTE,
    values: 500_000,
    names: 30_000,
    setting: "SVC_BODY_LIMIT",
    what: "compiled functions: deployments, bundles and their plans",
  },
  // A document of 16 MiB as a JSON text, with each quotation mark in it escaped.
  document: {
    bytes: 24 * MEBIBYTE,
    values: 10_000,
    names: 10_000,
    setting: "SVC_BODY_LIMIT",
    what: "OpenAPI documents of integrations",
  },
  // Not read as JSON on the way in.
  webhook: {
    bytes: 25 * MEBIBYTE,
    values: Number.POSITIVE_INFINITY,
    names: Number.POSITIVE_INFINITY,
    what: "webhooks of providers",
  },
} as const satisfies Readonly<Record<string, BodyLimit>>;

/** `stream`: passed on as it comes, without a limit. */
export type BodyKind = keyof typeof bodyLimits | "stream";
