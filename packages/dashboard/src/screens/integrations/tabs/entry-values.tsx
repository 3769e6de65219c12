import { ApiError } from "../../../data/api.ts";
import type { Integration } from "../../../data/integrations.ts";
import { LinesInput, linesOf } from "../../../parts/forms/lines-input.tsx";
import { SaveForm } from "../../../parts/forms/save-form.tsx";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { integrationFormTexts } from "../../../texts/screens/integration-forms.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import { UPDATE, useSaveIntegration } from "./save-integration.ts";

const addresses = [
  "base_url",
  "authorization_url",
  "token_url",
  "refresh_url",
  "revocation_url",
  "simulator_url",
] as const;
const pairs = ["headers", "authorization_params", "token_params"] as const;

/** Values that replace those of the provider's entry. */
export function OverridesCard({ integration }: { integration: Integration }) {
  const texts = useTextsOf(integrationFormTexts);
  const save = useSaveIntegration(integration);
  const overrides = integration.settings?.overrides ?? {};
  return (
    <SaveForm
      title={texts.overridesTitle}
      scope={UPDATE}
      onSave={async (form) => {
        const scopes = linesOf(form, "scopes");
        const given = [
          ...addresses.map((name) => [name, String(form.get(name) ?? "").trim()] as const),
          ["scopes", scopes.length === 0 ? "" : scopes] as const,
          ...pairs.map((name) => [name, pairsOf(form, name, texts.noPair)] as const),
        ].filter(([, value]) => value !== "");
        await save({
          settings: { overrides: given.length === 0 ? null : Object.fromEntries(given) },
        });
      }}
    >
      <p className="soft">{texts.overridesText}</p>
      {addresses.map((name) => (
        <TextInput
          key={name}
          isOptional
          name={name}
          label={texts.addresses[name]}
          autoComplete="off"
          initial={overrides[name] ?? ""}
        />
      ))}
      <LinesInput
        name="scopes"
        label={texts.alwaysScopes}
        help={texts.alwaysScopesHelp}
        initial={overrides.scopes ?? []}
      />
      {pairs.map((name) => (
        <LinesInput
          key={name}
          name={name}
          label={texts.pairs[name]}
          help={texts.pairsHelp}
          initial={toLines(overrides[name])}
        />
      ))}
    </SaveForm>
  );
}

/** Values for the placeholders of an entry that declares none itself. */
export function CustomCard({ integration }: { integration: Integration }) {
  const texts = useTextsOf(integrationFormTexts);
  const save = useSaveIntegration(integration);
  const { custom = {} } = integration;
  return (
    <SaveForm
      title={texts.customTitle}
      scope={UPDATE}
      onSave={async (form) => {
        const cleared = Object.fromEntries(Object.keys(custom).map((name) => [name, ""]));
        await save({ custom: { ...cleared, ...Object(pairsOf(form, "custom", texts.noPair)) } });
      }}
    >
      <LinesInput
        name="custom"
        label={texts.customLabel}
        help={texts.customHelp}
        initial={toLines(custom)}
      />
    </SaveForm>
  );
}

function toLines(values: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(values).map(([name, value]) => `${name}: ${value}`);
}

/** The lines of a field as names with values; an empty text without any. Throws at the field for another line. */
function pairsOf(
  form: FormData,
  name: string,
  word: (line: string) => string,
): Readonly<Record<string, string>> | "" {
  const found = linesOf(form, name).map((line) => {
    const at = line.indexOf(":");
    if (at > 0) return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    const message = word(line);
    throw new ApiError({
      ...{ code: "invalid_body", message, status: 400, details: [{ path: [name], message }] },
    });
  });
  return found.length === 0 ? "" : Object.fromEntries(found);
}
