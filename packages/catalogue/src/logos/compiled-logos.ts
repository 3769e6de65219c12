import type { Provider } from "../schema.ts";
import { contrastOf, readableOn } from "./contrast.ts";
import { escapeXml, makeMonogram, pickColour } from "./monogram.ts";

const WHITE = "#ffffff";
// Below it a glyph on white is hardly seen; most brands that are light by intent are above.
const LEAST_CONTRAST = 1.6;

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
  for (const { id, icon, family_name: product, display_name: name, colour } of providers) {
    const found = icon === undefined ? undefined : findIcon(icon);
    if (icon === undefined || found === undefined) {
      logos[id] = { name: product ?? name, ...(colour === undefined ? {} : { colour }) };
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

type LogoOf =
  | { readonly icon: string }
  | { readonly name: string; readonly colour?: string | undefined };

/** The SVG of a provider's logo. `name`: whose initials a monogram has, unless the product's. */
type FindLogo = (providerId: string, name?: string) => string | undefined;

/** Answers the brand's icon in its colour, else a monogram in the product's. */
export function openCompiledLogos(text: string): FindLogo {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const logos = parseHead(head);
  const lineOf = new Map(lines.map((line) => [parseIcon(line).icon, line]));
  return (id, name) => {
    const logo = logos.get(id);
    if (logo === undefined) return undefined;
    if ("name" in logo) {
      return makeMonogram(name ?? logo.name, logo.colour ?? pickColour(logo.name));
    }
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

/** On a tile of its own, so that it can be seen on every ground; a pale brand is the tile. */
function drawIcon({ title, hex, path }: Icon): string {
  const colour = `#${hex}`;
  const isPale = contrastOf(colour, WHITE) < LEAST_CONTRAST;
  const [tile, glyph] = isPale ? [colour, readableOn(colour)] : [WHITE, colour];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" role="img" aria-label="${escapeXml(title)}"><rect width="24" height="24" rx="5" fill="${tile}"/><path fill="${glyph}" d="${path}" transform="translate(4 4) scale(.6667)"/></svg>`;
}
