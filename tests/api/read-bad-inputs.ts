import { readFileSync } from "node:fs";

/** One row of the catalogue in bad-inputs.txt: what is sent, and word for word what the caller reads. */
export interface BadInput {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** In their order; a name may come twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
  readonly expected: { readonly status: number; readonly code: string; readonly message: string };
}

/**
 * Rows are separated by an empty line: `# <number> <title>`, request line, headers, `body: …`, and two lines
 * of answer. `<300*x>` stands for 300 letters, other words in angle brackets for the names given.
 */
export function readBadInputs(): BadInput[] {
  const text = readFileSync(new URL("bad-inputs.txt", import.meta.url), "utf8");
  const rows = text.replaceAll(/<(\d+)\*(.)>/gu, (_, times, letter: string) =>
    letter.repeat(Number(times)),
  );
  return rows.trim().split("\n\n").map(readRow);
}

function readRow(block: string): BadInput {
  const [title = "", requestLine = "", ...lines] = block.split("\n");
  const [method = ""] = requestLine.split(" ", 1);
  const [answer = "", message = ""] = lines.splice(-2).map((line) => line.replace(/^-> /, ""));
  const [status, code = ""] = answer.split(" ");
  const fields = lines.map((line): readonly [string, string] => {
    const [name = "", ...rest] = line.split(":");
    return [name, rest.join(":").trim()];
  });
  return {
    title: title.replace(/^# /, ""),
    method,
    path: requestLine.slice(method.length + 1),
    headers: fields.filter(([name]) => name !== "body"),
    body: fields.find(([name]) => name === "body")?.[1],
    expected: { status: Number(status), code, message },
  };
}

/** The text with the names in angle brackets replaced. */
export function fillIn(text: string, names: Readonly<Record<string, string>>): string {
  return text.replaceAll(/<([a-z ]+)>/g, (whole, name: string) => names[name] ?? whole);
}
