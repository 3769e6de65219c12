import { useState } from "react";
import type { Settings } from "../../data/environment/settings.ts";
import { SaveForm } from "../../parts/forms/save-form.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { LastChange } from "./last-change.tsx";
import { LogoInput } from "./logo-input.tsx";
import { WRITE_SETTINGS } from "./with-settings.tsx";

/** Where the values of the fields are in the call. */
const valuePaths = {
  "app-name": "app.name",
};

export type App = Settings["connect_ui"]["app"];

const MOST_CHARACTERS = 80;

/** The app that end users see ask for access. */
export function AppForm({
  app,
  onChange,
  onSave,
}: {
  app: App;
  onChange: (app: App) => void;
  onSave: (app: App) => Promise<void>;
}) {
  const { settings: texts } = useTexts();
  const [name, setName] = useState(app.name ?? "");
  const change = (part: Partial<App>) => onChange({ ...app, ...part });
  const page = (label: string, field: "terms_url" | "privacy_url") => (
    <TextInput
      label={label}
      name={field}
      autoComplete="off"
      isOptional
      help={texts.pageHelp}
      fault={isPage(app[field]) ? undefined : texts.notPage}
      initial={app[field] ?? ""}
      onChange={(text) => change({ [field]: text.trim() === "" ? null : text.trim() })}
    />
  );
  return (
    <SaveForm
      values={valuePaths}
      title={texts.appTitle}
      scope={WRITE_SETTINGS}
      lastChange={<LastChange of="settings" names={["connect_ui"]} />}
      onSave={async () => await onSave(app)}
    >
      <TextInput
        label={texts.appName}
        name="app-name"
        autoComplete="organization"
        isOptional
        help={texts.appNameHelp}
        fault={name.trim().length > MOST_CHARACTERS ? texts.nameTooLong : undefined}
        initial={name}
        onChange={(text) => {
          setName(text);
          change({ name: text.trim() === "" ? null : text.trim() });
        }}
      />
      <LogoInput logo={app.logo} onChange={(logo) => change({ logo })} />
      {page(texts.terms, "terms_url")}
      {page(texts.privacy, "privacy_url")}
    </SaveForm>
  );
}

function isPage(address: string | null): boolean {
  if (address === null) return true;
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}
