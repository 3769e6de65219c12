import { contrastOf } from "@jackfield/ui/theme.ts";
import { useState } from "react";
import type { Settings } from "../../data/environment/settings.ts";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { SaveForm } from "../../parts/forms/save-form.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { isOn, ToggleInput } from "../../parts/forms/toggle-input.tsx";
import { choicesOf } from "../../parts/list/word-filters.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { settingDefaultTexts } from "../../texts/environment/setting-defaults.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { AppForm } from "./app-form.tsx";
import { ConnectPreview, cards } from "./connect-preview.tsx";
import { LastChange } from "./last-change.tsx";
import { WithSettings, WRITE_SETTINGS } from "./with-settings.tsx";

/** Where the values of the fields are in the call. */
const valuePaths = {
  light: "connect_ui.theme.light",
  dark: "connect_ui.theme.dark",
  "default-theme": "default_theme",
  watermark: "show_watermark",
};

const themes = ["light", "dark"] as const;
const colour = /^#[0-9a-f]{6}$/i;

/** What readable text needs (WCAG 2.2, 1.4.3). */
const READABLE = 4.5;

/** How the connect page looks, with what it will look like. */
export function ConnectPageTab() {
  return (
    <WithSettings>
      {({ connect_ui: page }, change) => (
        <Look page={page} onSave={async (next) => await change({ connect_ui: next })} />
      )}
    </WithSettings>
  );
}

type Page = Settings["connect_ui"];

/** Of both themes. */
const DEFAULT_COLOUR = "#00B2E3";

function Look({ page, onSave }: { page: Page; onSave: (next: Partial<Page>) => Promise<void> }) {
  const { settings: texts } = useTexts();
  const defaults = useTextsOf(settingDefaultTexts);
  const [light, setLight] = useState(page.theme.light.primary);
  const [dark, setDark] = useState(page.theme.dark.primary);
  const [app, setApp] = useState(page.app);
  const colours = { light, dark };
  return (
    <div className="columns">
      <div className="stack">
        <SaveForm
          values={valuePaths}
          title={texts.colours}
          scope={WRITE_SETTINGS}
          lastChange={<LastChange of="settings" names={["connect_ui"]} />}
          onSave={async (form) =>
            await onSave({
              theme: { light: { primary: light.trim() }, dark: { primary: dark.trim() } },
              default_theme: themeOf(String(form.get("default-theme"))),
              show_watermark: isOn(form, "watermark"),
            })
          }
        >
          <TextInput
            label={texts.light}
            name="light"
            autoComplete="off"
            help={`${texts.colourHelp} ${defaults.colour(DEFAULT_COLOUR)}`}
            fault={colour.test(light.trim()) ? undefined : texts.notColour}
            initial={light}
            onChange={setLight}
          />
          <TextInput
            label={texts.dark}
            name="dark"
            autoComplete="off"
            help={`${texts.colourHelp} ${defaults.colour(DEFAULT_COLOUR)}`}
            fault={colour.test(dark.trim()) ? undefined : texts.notColour}
            initial={dark}
            onChange={setDark}
          />
          <ChoiceInput
            label={texts.defaultTheme}
            name="default-theme"
            initial={page.default_theme}
            choices={choicesOf(texts.themes)}
            help={defaults.theme}
          />
          <ToggleInput
            name="watermark"
            label={texts.watermark}
            help={defaults.on}
            initial={page.show_watermark}
          />
        </SaveForm>
        <AppForm app={app} onChange={setApp} onSave={async (next) => await onSave({ app: next })} />
      </div>
      <div className="stack">
        {themes.map((theme) => {
          const primary = colours[theme].trim();
          if (!colour.test(primary)) return null;
          const ratio = contrastOf(primary, cards[theme]);
          const words = ratio.toFixed(2);
          return (
            <Card key={theme} title={texts.preview(texts.themes[theme])}>
              <ConnectPreview theme={theme} primary={primary} app={app} />
              <p className={ratio < READABLE ? "padded fault" : "padded soft"} role="status">
                {ratio < READABLE ? texts.contrastBad(words) : texts.contrastGood(words)}
              </p>
            </Card>
          );
        })}
      </div>
    </div>
  );
}

function themeOf(text: string): Page["default_theme"] {
  return text === "light" || text === "dark" ? text : "system";
}
