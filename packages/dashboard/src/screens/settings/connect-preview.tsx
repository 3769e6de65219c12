import { textColorOn } from "@jackfield/ui/theme.ts";
import type { CSSProperties } from "react";
import { useTexts } from "../../texts/use-texts.ts";
import type { App } from "./app-form.tsx";
import { LogoPreview } from "./logo-preview.tsx";

/** What the connect page's parts stand on, as `@jackfield/ui/tokens.css` has it. */
export const cards = { light: "#ffffff", dark: "#181e26" } as const;

/** The parts of the connect page that the operator chooses. */
export function ConnectPreview({
  theme,
  primary,
  app,
}: {
  theme: "light" | "dark";
  primary: string;
  app: App;
}) {
  const { settings: texts } = useTexts();
  const colours: CSSProperties = Object({
    "--preview": primary,
    "--on-preview": textColorOn(primary),
  });
  return (
    <div className={`connect-preview ${theme}`} style={colours} aria-hidden="true">
      {(app.name !== null || app.logo !== null) && (
        <span className="preview-app">
          {app.logo !== null && <LogoPreview logo={app.logo} />}
          {app.name}
        </span>
      )}
      <strong>{texts.previewTitle}</strong>
      <span>{texts.previewText}</span>
      <span className="preview-service">{texts.previewService}</span>
      <span className="preview-button">{texts.previewButton}</span>
      <span className="preview-link">{texts.previewLink}</span>
      {app.terms_url !== null && <span className="preview-link">{texts.terms}</span>}
      {app.privacy_url !== null && <span className="preview-link">{texts.privacy}</span>}
    </div>
  );
}
