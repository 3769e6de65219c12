import { type BodyLimit, bodyLimits } from "@jackfield/contract";

const START = "<!-- body limits: written by npm run generate -->\n";
const END = "<!-- /body limits -->";

/** The page with the table of body limits between its marks written again. */
export function writeBodyLimits(page: string): string {
  const start = page.indexOf(START);
  const end = page.indexOf(END);
  if (start === -1 || end < start) throw new Error(`the page lacks ${START}…${END}`);
  const limits: BodyLimit[] = Object.values(bodyLimits);
  const rows = limits.map(({ what, bytes, values, names, setting }) => {
    const cells = [what, presentBytes(bytes), presentCount(values), presentCount(names)];
    return `| ${cells.join(" | ")} | ${setting === undefined ? "" : `\`${setting}\``} |`;
  });
  const head = ["| body | bytes | values | different names | setting |", "|---|---|---|---|---|"];
  return `${page.slice(0, start + START.length)}\n${[...head, ...rows].join("\n")}\n\n${page.slice(end)}`;
}

function presentBytes(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024;
  return mebibytes >= 1 ? `${mebibytes} MiB` : `${bytes / 1024} KiB`;
}

function presentCount(count: number): string {
  return Number.isFinite(count) ? count.toLocaleString("en-US") : "";
}
