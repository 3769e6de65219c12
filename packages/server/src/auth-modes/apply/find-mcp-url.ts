import { renderTemplate } from "@jackfield/catalogue";
import type { AuthSubject } from "../auth-mode.ts";
import { renderAs } from "./render-as.ts";
import { toTemplateValues } from "./template-values.ts";

/** Address of the MCP server whose tools the integration has; undefined for an integration without one. Throws missing_base_url. */
export function findMcpUrl(subject: AuthSubject): string | undefined {
  const { mcp, id } = subject.provider;
  if (mcp === undefined) return undefined;
  const what = `The address of the MCP server of ${id} cannot be built`;
  return renderAs({ code: "missing_base_url", what }, () =>
    renderTemplate(mcp.url, toTemplateValues(subject)),
  );
}
