const seen = new Set<string>();

/** Highlighted code with classes in place of style attributes, which the site's content security policy refuses. */
export function toClasses(html: string): string {
  const spans = html.replaceAll(
    / style="--shiki-light:#(\w{6});--shiki-dark:#(\w{6});?(--shiki-light-font-weight:bold;--shiki-dark-font-weight:bold;?)?"/g,
    (_whole, light: string, dark: string) => {
      seen.add(`${light}-${dark}`);
      return ` class="c-${light}-${dark}"`;
    },
  );
  return spans.replaceAll(/ style="[^"]*"/g, "");
}

/** The rules for all classes that `toClasses` has used. */
export function colourRules(): string {
  return [...seen]
    .toSorted()
    .map((name) => {
      const [light = "", dark = ""] = name.split("-");
      return `.c-${name}{color:#${light}}.dark .c-${name}{color:#${dark}}`;
    })
    .join("\n");
}
