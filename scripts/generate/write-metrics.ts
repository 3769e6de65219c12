import "@jackfield/server";
import { listMetrics } from "../../packages/server/src/foundation/instruments/index.ts";

const START = "<!-- metrics: written by npm run generate -->\n";
const END = "<!-- /metrics -->";

/** The page with the table of all metrics between its marks written again. */
export function writeMetrics(page: string): string {
  const start = page.indexOf(START);
  const end = page.indexOf(END);
  if (start === -1 || end < start) throw new Error(`the page lacks ${START}…${END}`);
  const rows = listMetrics().map(({ name, kind, labels, help }) => {
    const names = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${kind} | ${names} | ${help} |`;
  });
  const head = ["| metric | kind | labels | |", "|---|---|---|---|"];
  return `${page.slice(0, start + START.length)}\n${[...head, ...rows].join("\n")}\n\n${page.slice(end)}`;
}
