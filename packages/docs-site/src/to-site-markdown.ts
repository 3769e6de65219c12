import { posix } from "node:path";

export interface PageTitles {
  readonly get: (path: string) => string | undefined;
}

/**
 * A page of `docs/` as the site has it, without comments for tests: paths of other pages in backticks become links with the page's title, and
 * links to files outside of `docs/`, which the site does not have, become their text. `path` is the page's own, below
 * `docs/`.
 */
export function toSiteMarkdown(
  text: string,
  { path, titles }: { path: string; titles: PageTitles },
): string {
  const own = posix.dirname(path);
  const linkTo = (target: string): string => {
    const relative = posix.relative(own, target);
    return relative.startsWith(".") ? relative : `./${relative}`;
  };
  const outside = (target: string): boolean =>
    !/^(?:[a-z]+:|#)/.test(target) && posix.normalize(posix.join(own, target)).startsWith("..");
  return mapOutsideFences(text.replaceAll(forTests, ""), (line) => {
    const linked = line.replaceAll(/(?<!\[)`docs\/([\w./-]*)`(?!\])/g, (whole, target: string) => {
      const page = target === "" || target.endsWith("/") ? `${target}index.md` : target;
      const title = titles.get(page);
      return title === undefined ? whole : `[${title}](${linkTo(page)})`;
    });
    return mapLinks(linked, ({ whole, label, target }) => (outside(target) ? label : whole));
  });
}

/** Comments that say what the tests do with the block below them. */
const forTests = /^<!-- (?:not run|file): .* -->\n/gm;

/** The first heading of a page. */
export function titleOf(text: string): string | undefined {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "");
}

/** Lines between ``` stay as they are. */
function mapOutsideFences(text: string, map: (line: string) => string): string {
  let isFenced = false;
  return text
    .split("\n")
    .map((line) => {
      const isFence = line.startsWith("```");
      if (isFence) isFenced = !isFenced;
      return isFence || isFenced ? line : map(line);
    })
    .join("\n");
}

/** Each link of a line in place of itself; `](` separates its label from its address. */
export function mapLinks(
  line: string,
  map: (link: {
    readonly whole: string;
    readonly label: string;
    readonly target: string;
  }) => string,
): string {
  const [first = "", ...rest] = line.split("](");
  let done = first;
  for (const part of rest) {
    const end = part.indexOf(")");
    const start = done.lastIndexOf("[");
    if (end === -1 || start === -1) done += `](${part}`;
    else {
      const link = { label: done.slice(start + 1), target: part.slice(0, end) };
      const whole = `[${link.label}](${link.target})`;
      done = done.slice(0, start) + map({ ...link, whole }) + part.slice(end + 1);
    }
  }
  return done;
}
