import { renderTemplate, TemplateError } from "@jackfield/catalogue";
import { AppError } from "#platform";
import type { AuthSubject } from "../auth-mode.ts";
import { toTemplateValues } from "./template-values.ts";

/** Address of the MCP server whose tools the integration has; undefined for an integration without one. */
export function findMcpUrl(subject: AuthSubject): string | undefined {
  const { mcp, id } = subject.provider;
  if (mcp === undefined) return undefined;
  try {
    return renderTemplate(mcp.url, toTemplateValues(subject));
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const message = `The address of the MCP server of ${id} cannot be built: ${error.message}.`;
    throw new AppError("missing_base_url", message, { cause: error });
  }
}
