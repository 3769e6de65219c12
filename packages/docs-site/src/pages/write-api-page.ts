import { apiSections, type RouteDefinition, routes, sectionOf } from "@jackfield/contract";

/** Every route by subject, with what it does; the server's own page has its fields and an example. */
export function writeApiPage(): string {
  const all = Object.values<RouteDefinition>(routes);
  const sections = apiSections.flatMap((section) => [
    `## ${section.name}`,
    "",
    section.description,
    "",
    "| route | |",
    "|---|---|",
    ...all
      .filter(({ path }) => sectionOf(path) === section)
      .map(({ method, path, summary }) => `| \`${method} ${path}\` | ${summary} |`),
    "",
  ]);
  return [
    "# API by subject",
    "",
    "Each server has its API reference, with every field and an example of every call, at `/docs/api`, and an OpenAPI 3.1 document at `/openapi.json`. This page lists the routes.",
    "",
    ...sections,
  ].join("\n");
}
