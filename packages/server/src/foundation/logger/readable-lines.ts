import { styleText } from "node:util";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

type Shown = Exclude<LogLevel, "silent">;

const levels: Readonly<Record<number, { readonly name: Shown; readonly style: Style }>> = {
  20: { name: "debug", style: "dim" },
  30: { name: "info", style: "cyan" },
  40: { name: "warn", style: "yellow" },
  50: { name: "error", style: "red" },
};
type Style = "dim" | "cyan" | "yellow" | "red";

/** A line of the log as somebody reads it at a terminal: time, level, event, fields; what is no line stays. */
export function toReadableLine(line: string, { colours }: { colours: boolean }): string {
  const parsed = parse(line);
  if (parsed === undefined) return line;
  const { level, time, msg, ...fields } = parsed;
  const { name, style } = levels[Number(level)] ?? { name: "info", style: "cyan" };
  const paint = (format: Style, text: string) =>
    colours ? styleText(format, text, { validateStream: false }) : text;
  const at = new Date(Number(time)).toTimeString().slice(0, 8);
  const shown = Object.entries(fields).map(
    ([key, value]) => `${paint("dim", `${key}=`)}${toText(value)}`,
  );
  return `${paint("dim", at)} ${paint(style, name.padEnd(5))} ${String(msg)}${shown.map((text) => ` ${text}`).join("")}\n`;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Of an error what it says, and what caused it; where it was thrown is for the JSON lines. */
function toText(value: unknown): string {
  if (typeof value === "string") return /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
  if (typeof value === "object" && value !== null && "message" in value && "type" in value) {
    const cause = "cause" in value ? ` (${toText(value.cause)})` : "";
    return `${String(value.type)}: ${String(value.message)}${cause}`;
  }
  return JSON.stringify(value) ?? "";
}
