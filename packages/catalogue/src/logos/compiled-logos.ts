import type { Provider } from "../schema.ts";
import { escapeXml, makeMonogram } from "./monogram.ts";

/** An icon of 24 by 24, as simple-icons (CC0) has it. */
export interface Icon {
  readonly title: string;
  /** The brand's colour, without `#`. */
  readonly hex: string;
  /** Data of one path. */
  readonly path: string;
}

/** Logos by provider: a line of JSON that tells which icon or whose initials, then a line for each icon. */
export function compileLogos(
  providers: readonly Provider[],
  findIcon: (name: string) => Icon | undefined,
): string {
  const icons = new Map<string, Icon>();
  const logos: Record<string, LogoOf> = {};
  for (const { id, icon, family_name: product, display_name: name } of providers) {
    const found = icon === undefined ? undefined : findIcon(icon);
    if (icon === undefined || found === undefined) {
      logos[id] = { name: product ?? name };
      continue;
    }
    icons.set(icon, found);
    logos[id] = { icon };
  }
  const lines = [...icons]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([icon, { title, hex, path }]) => JSON.stringify({ icon, title, hex, path }));
  return `${[JSON.stringify(logos), ...lines].join("\n")}\n`;
}

type LogoOf = { readonly icon: string } | { readonly name: string };

/** Answers the SVG of a provider's logo: the brand's icon in its colour, else a monogram. */
export function openCompiledLogos(text: string): (providerId: string) => string | undefined {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const logos = parseHead(head);
  const lineOf = new Map(lines.map((line) => [parseIcon(line).icon, line]));
  return (id) => {
    const logo = logos.get(id);
    if (logo === undefined) return undefined;
    if ("name" in logo) return makeMonogram(logo.name);
    const line = lineOf.get(logo.icon);
    return line === undefined ? undefined : drawIcon(parseIcon(line));
  };
}

function parseHead(line: string): Map<string, LogoOf> {
  return new Map(Object.entries<LogoOf>(JSON.parse(line)));
}

function parseIcon(line: string): Icon & { readonly icon: string } {
  return JSON.parse(line);
}

function drawIcon({ title, hex, path }: Icon): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" role="img" aria-label="${escapeXml(title)}"><path fill="#${hex}" d="${path}"/></svg>`;
}
