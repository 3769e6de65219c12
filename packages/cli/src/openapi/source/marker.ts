import { createHash } from "node:crypto";

const marker =
  "// Written by jackfield generate actions; a file that you change is yours, and is kept. ";

/** A generated text with the line by which a change of it is noticed. */
export function markText(text: string): string {
  return `${marker}${digestOf(text)}\n${text}`;
}

/** Whether it is as it was written: nobody has changed it. */
export function isAsWritten(text: string): boolean {
  // Git may have changed the ends of lines.
  const lines = text.replaceAll("\r\n", "\n");
  const end = lines.indexOf("\n");
  return lines.slice(0, end) === `${marker}${digestOf(lines.slice(end + 1))}`;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
