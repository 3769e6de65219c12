import { plainText } from "./formats.ts";

export type Tone = "good" | "bad" | "warn" | "run" | "idle";

const signs: Readonly<Record<Tone, string>> = {
  good: "✓",
  bad: "✕",
  warn: "‖",
  run: "●",
  idle: "–",
};

/** A state as colour, sign and word; never as colour alone. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{signs[tone]}</span>
      {plainText(children)}
    </span>
  );
}
