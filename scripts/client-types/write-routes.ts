import type { RouteDefinition } from "@jackfield/contract";

/** Method and path of each route, for pages that take only types from the contract: its schemas would weigh 45 KB. */
export function writeRoutes(routes: Readonly<Record<string, RouteDefinition>>): string {
  const lines = Object.entries(routes).map(
    ([name, { method, path }]) =>
      `  ${name}: { method: ${JSON.stringify(method)}, path: ${JSON.stringify(path)} },`,
  );
  return `// Written by \`npm run generate\` from packages/contract; not by hand.
import type { routes } from "@jackfield/contract";

export type Routes = typeof routes;

/** Method and path of each route of the API. */
export const routePaths = {
${lines.join("\n")}
} as const satisfies {
  readonly [Name in keyof Routes]: {
    readonly method: Routes[Name]["method"];
    readonly path: Routes[Name]["path"];
  };
};
`;
}
