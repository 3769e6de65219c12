import { splitPath } from "@jackfield/functions/openapi";
import { toMember } from "./literals.ts";

/** The path of calls as a template literal; `keys` has the input's field for each parameter. Throws Unsupported. */
export function toEndpoint(path: string, keys: ReadonlyMap<string, string>): string {
  const parts = splitPath(path, keys).map((part, index) =>
    index % 2 === 0 ? part.replaceAll("$", "%24") : `\${pathPart(${toMember("input", part)})}`,
  );
  return parts.length === 1 ? JSON.stringify(parts[0]) : `\`${parts.join("")}\``;
}
