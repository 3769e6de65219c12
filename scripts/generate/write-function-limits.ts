import { type FunctionLimit, functionLimits } from "@jackfield/contract/function-limits";

const START = "<!-- limits: written by npm run generate -->\n";
const END = "<!-- /limits -->";

/** The page with the table of limits between its marks made again. */
export function writeFunctionLimits(page: string): string {
  const start = page.indexOf(START);
  const end = page.indexOf(END);
  if (start === -1 || end < start) throw new Error(`the page lacks ${START}…${END}`);
  const limits: FunctionLimit[] = Object.values(functionLimits);
  const rows = limits.map((limit) => {
    const setting = limit.setting === undefined ? "" : `\`${limit.setting}\``;
    return `| ${limit.what} | ${present(limit)} | ${setting} |`;
  });
  const table = ["| what | limit | setting |", "|---|---|---|", ...rows].join("\n");
  return `${page.slice(0, start + START.length)}\n${table}\n\n${page.slice(end)}`;
}

const times = [
  ["hours", 3_600_000],
  ["minutes", 60_000],
  ["seconds", 1000],
] as const;

function present({ value, unit }: FunctionLimit): string {
  if (unit === "bytes") {
    const mebibytes = value / 1024 / 1024;
    return Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${value} bytes`;
  }
  if (unit === "ms") {
    const [name, size] = times.find(([, ms]) => value % ms === 0) ?? ["ms", 1];
    return `${value / size} ${value / size === 1 ? name.slice(0, -1) : name}`;
  }
  return unit === "items" ? String(value) : `${value} ${unit}`;
}
