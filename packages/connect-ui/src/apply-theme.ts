import { followTheme, setPrimaryColor } from "@jackfield/ui/theme.ts";
import type { PageParameters } from "./page-parameters.ts";
import type { Session } from "./platform.ts";

/** Puts the session's theme on the page. */
export function applyTheme(
  settings: Session["connectUISettings"],
  parameters: Pick<PageParameters, "theme" | "systemTheme">,
): void {
  const asked = parameters.theme ?? settings?.defaultTheme ?? "system";
  followTheme(
    asked,
    (theme) => {
      const primary = settings?.theme?.[theme]?.primary;
      if (primary !== undefined) setPrimaryColor(primary);
    },
    parameters.systemTheme,
  );
}
