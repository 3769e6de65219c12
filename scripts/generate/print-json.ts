const WIDTH = 100;

/** JSON to read and to compare: what fits on a line is on one. */
export function printJson(value: unknown, indent = ""): string {
  const line = printLine(value);
  if (indent.length + line.length <= WIDTH || typeof value !== "object" || value === null) {
    return line;
  }
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((each) => `${inner}${printJson(each, inner)}`).join(",\n")}\n${indent}]`;
  }
  const members = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => `${inner}${JSON.stringify(name)}: ${printJson(each, inner)}`);
  return `{\n${members.join(",\n")}\n${indent}}`;
}

function printLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(printLine).join(", ")}]`;
  const members = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => `${JSON.stringify(name)}: ${printLine(each)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
