import { basePlaceholder } from "../assets.js";
import { groups } from "./navigation.ts";
import { mapLinks } from "./to-site-markdown.ts";

/** The list of pages for language models, with the address of each as Markdown (llmstxt.org). */
export function writeLlmsText(pages: ReadonlyMap<string, string>): string {
  const sections = groups.flatMap(({ title, pages: members }) => [
    `## ${title}`,
    "",
    ...members
      .filter(([page]) => pages.has(`${page}.md`))
      .map(([page, text]) => {
        const about = firstSentence(pages.get(`${page}.md`) ?? "");
        return `- [${text}](${basePlaceholder}${page}.md)${about === "" ? "" : `: ${about}`}`;
      }),
    "",
  ]);
  return [
    "# Jackfield",
    "",
    "> Open-source integration platform: connects a product to its customers' accounts at other services, keeps tokens fresh, calls providers' APIs with credentials injected, runs TypeScript functions, stores what they sync and sends signed webhooks. One process, one Postgres.",
    "",
    `The API is described as OpenAPI 3.1 at \`/openapi.json\` of each installation. Every provider has a page at \`${basePlaceholder}providers/<id>.md\`.`,
    "",
    ...sections,
  ].join("\n");
}

function firstSentence(text: string): string {
  const paragraph = text.split("\n\n").find((part) => /^[A-Z*[`"]/.test(part)) ?? "";
  return (
    mapLinks(paragraph, ({ label }) => label)
      .replaceAll("\n", " ")
      .split(/(?<=\.) /, 1)[0] ?? ""
  );
}
