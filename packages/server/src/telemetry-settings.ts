import { BlockList, isIP } from "node:net";
import * as z from "zod";
import { SECOND, Secret } from "#foundation";
import { type OtlpSettings, samplerNames, type TelemetrySettings } from "#foundation/telemetry";
import { port } from "./config-values.ts";

/** Settings of what the installation tells of itself. */
export const telemetrySettings = {
  SVC_METRICS_PORT: port.optional(),
  SVC_METRICS_HOST: z.string().min(1).default("127.0.0.1"),
  SVC_METRICS_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, "is not a word of at least 16 letters, digits and signs")
    .transform((text) => new Secret(text))
    .optional(),
  SVC_TRACE_PROVIDERS: z
    .enum(["true", "false"])
    .default("false")
    .transform((text) => text === "true"),
} as const;

type Values = z.output<z.ZodObject<typeof telemetrySettings>>;
type Environment = Readonly<Record<string, string | undefined>>;

export interface TelemetryReading {
  readonly settings: TelemetrySettings;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** The settings of ours, and those of `OTEL_*` that the exporters do not read themselves. */
export function readTelemetry(values: Values, env: Environment): TelemetryReading {
  const { SVC_METRICS_PORT: port, SVC_METRICS_HOST: host, SVC_METRICS_KEY: key } = values;
  const isOpen = port !== undefined && key === undefined && !isLoopback(host);
  const otlp = readOtlp(env);
  return {
    settings: {
      endpoint: port === undefined ? undefined : { host, port, key },
      otlp: otlp.settings,
      traceProviders: values.SVC_TRACE_PROVIDERS,
    },
    problems: isOpen
      ? ["SVC_METRICS_HOST is reached from other machines: set SVC_METRICS_KEY, too"]
      : [],
    warnings: otlp.warnings,
  };
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host === "localhost";
  return loopback.check(host, version === 4 ? "ipv4" : "ipv6");
}

function readOtlp(env: Environment): { settings: OtlpSettings; warnings: string[] } {
  const warnings: string[] = [];
  const traces = protocolOf("TRACES", env, warnings);
  const metrics = protocolOf("METRICS", env, warnings);
  const isUsed = traces !== undefined || metrics !== undefined;
  const number = (name: string) => (isUsed ? readNumber(name, env, warnings) : undefined);
  const optional = (name: string, as: string) => {
    const value = number(name);
    return value === undefined ? {} : { [as]: value };
  };
  return {
    settings: {
      traces,
      metrics,
      metricsEveryMs: number("OTEL_METRIC_EXPORT_INTERVAL") ?? 60 * SECOND,
      sampler: readSampler(env, warnings),
      batch: {
        ...optional("OTEL_BSP_MAX_QUEUE_SIZE", "maxQueueSize"),
        ...optional("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "maxExportBatchSize"),
        ...optional("OTEL_BSP_SCHEDULE_DELAY", "scheduledDelayMillis"),
        ...optional("OTEL_BSP_EXPORT_TIMEOUT", "exportTimeoutMillis"),
      },
    },
    warnings,
  };
}

/** Undefined where nothing is sent: without an address, or where it is switched off. */
function protocolOf(signal: "TRACES" | "METRICS", env: Environment, warnings: string[]) {
  const read = (name: string) => env[name]?.trim() || undefined;
  if (read("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined;
  const exporter = read(`OTEL_${signal}_EXPORTER`);
  if (exporter === "none") return undefined;
  const hasAddress =
    read("OTEL_EXPORTER_OTLP_ENDPOINT") ?? read(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
  if (hasAddress === undefined && exporter !== "otlp") return undefined;
  if (exporter !== undefined && exporter !== "otlp") {
    warnings.push(`OTEL_${signal}_EXPORTER is neither otlp nor none; otlp is used`);
  }
  const protocol =
    read(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ?? read("OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol === undefined || protocol === "http/protobuf") return "http/protobuf" as const;
  if (protocol === "http/json") return protocol;
  warnings.push(`OTLP over ${protocol} is not spoken; ${signal.toLowerCase()} use http/protobuf`);
  return "http/protobuf" as const;
}

function readNumber(name: string, env: Environment, warnings: string[]): number | undefined {
  const text = env[name]?.trim();
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  warnings.push(`${name} is not a whole number over 0; its default is used`);
  return undefined;
}

function readSampler(env: Environment, warnings: string[]): OtlpSettings["sampler"] {
  const given = env["OTEL_TRACES_SAMPLER"]?.trim() || "parentbased_always_on";
  const name = samplerNames.find((known) => known === given);
  if (name === undefined) {
    warnings.push(`OTEL_TRACES_SAMPLER names no sampler: ${samplerNames.join(", ")}`);
  }
  const ratio = Number(env["OTEL_TRACES_SAMPLER_ARG"]?.trim() || "1");
  const isRatio = ratio >= 0 && ratio <= 1;
  if (!isRatio) warnings.push("OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1");
  return { name: name ?? "parentbased_always_on", ratio: isRatio ? ratio : 1 };
}
