import { pathsOf, type RouteDefinition } from "@jackfield/contract";
import { distance } from "fastest-levenshtein";
import { AppError } from "../../errors.ts";
import { webDavMethods } from "./add-route.ts";

// Longer than any path of ours; what is longer is compared by its beginning.
const COMPARED = 200;

/** 404 for what is no route: names the methods of the path, or else the nearest route. */
export function unknownRoute(
  routes: readonly RouteDefinition[],
  { method, path }: { method: string; path: string },
): AppError {
  const asked = path.slice(0, COMPARED);
  const known = routes.flatMap((route) =>
    pathsOf(route).flatMap(({ path: template }) =>
      methodsOf(route).map((method) => ({ method, template })),
    ),
  );
  const here = known.filter(({ template }) => toPattern(template).test(asked));
  if (here.length > 0) {
    const methods = [...new Set(here.map((route) => route.method))].toSorted();
    const message = `There is no ${method} ${asked}; the path takes ${methods.join(", ")}.`;
    return new AppError("not_found", message, { headers: { Allow: methods.join(", ") } });
  }
  const [nearest] = known
    .map((route) => ({ ...route, cost: costOf(route, { method, path: asked }) }))
    .filter(({ cost, template }) => cost <= mostCost(template, asked))
    .toSorted((a, b) => a.cost - b.cost);
  const hint =
    nearest === undefined
      ? "All routes are listed at /docs/api."
      : `The nearest is ${nearest.method} ${nearest.template}.`;
  return new AppError("not_found", `There is no ${method} ${asked}. ${hint}`);
}

/** What may differ in a path that was probably meant: a third of its letters; filled-in values tell nothing. */
function mostCost(template: string, asked: string): number {
  const own = template
    .split("/")
    .filter((segment) => !segment.startsWith("{"))
    .join("/").length;
  return Math.min(own, asked.length) / 3;
}

const methodsOfAny = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

function methodsOf({ method, methods, proxied }: RouteDefinition): readonly string[] {
  if (method === "ANY" && proxied === true) return [...methodsOfAny, ...webDavMethods];
  if (method === "ANY") return methods ?? methodsOfAny;
  return [method];
}

function toPattern(template: string): RegExp {
  const segments = template
    .split("/")
    .map((segment) =>
      segment.includes("+}")
        ? ".*"
        : segment.startsWith("{")
          ? "[^/]+"
          : segment.replaceAll(".", "\\."),
    );
  return new RegExp(`^${segments.join("/")}/?$`, "i");
}

/** Letters to change until the path is the template with the same values in it; another method costs one. */
function costOf(
  route: { method: string; template: string },
  asked: { method: string; path: string },
): number {
  const given = asked.path.split("/");
  const filled = route.template
    .split("/")
    .map((segment, index) => (segment.startsWith("{") ? given[index] || segment : segment))
    .join("/");
  return (
    distance(filled.toLowerCase(), asked.path.toLowerCase()) +
    (route.method === asked.method ? 0 : 1)
  );
}
