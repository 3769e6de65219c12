import { getEnvironmentSettings } from "#environments";
import type { EnvironmentContext } from "#foundation";

/** How the environment's pages for end users look. */
export async function presentPageSettings(ctx: EnvironmentContext) {
  const { connect_ui: ui } = await getEnvironmentSettings(ctx);
  return {
    theme: ui.theme,
    defaultTheme: ui.default_theme,
    showWatermark: ui.show_watermark,
    app: {
      name: ui.app.name,
      logo: ui.app.logo,
      termsUrl: ui.app.terms_url,
      privacyUrl: ui.app.privacy_url,
    },
  };
}
