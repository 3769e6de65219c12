import type { Integration } from "../../../data/integrations.ts";
import { ChoiceInput } from "../../../parts/forms/choice-input.tsx";
import { LinesInput, linesOf } from "../../../parts/forms/lines-input.tsx";
import { SaveForm } from "../../../parts/forms/save-form.tsx";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { isOn, ToggleInput } from "../../../parts/forms/toggle-input.tsx";
import { integrationFormTexts } from "../../../texts/screens/integration-forms.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import { numberOf } from "../../settings/with-settings.tsx";
import { DeleteIntegration } from "./delete-integration.tsx";
import { CustomCard, OverridesCard } from "./entry-values.tsx";
import { UPDATE, useSaveIntegration } from "./save-integration.ts";

/** How an integration is named and behaves, and its end. */
export function SettingsTab({ integration }: { integration: Integration }) {
  const { integration_config: declared } = integration.fields ?? {};
  return (
    <div className="stack measure">
      <NameCard integration={integration} />
      <WebhooksCard integration={integration} />
      <BehaviourCard integration={integration} />
      <OverridesCard integration={integration} />
      {Object.keys(declared ?? {}).length === 0 && <CustomCard integration={integration} />}
      <DeleteIntegration integration={integration} />
    </div>
  );
}

interface Props {
  readonly integration: Integration;
}

/** Where the values of the fields are in the call. */
const namePaths = { key: "unique_key" };

function NameCard({ integration }: Props) {
  const texts = useTextsOf(integrationFormTexts);
  const save = useSaveIntegration(integration);
  const { unique_key: key, display_name: name } = integration;
  return (
    <SaveForm
      title={texts.generalTitle}
      scope={UPDATE}
      values={namePaths}
      onSave={async (form) => {
        const [nextName, nextKey] = [textOf(form, "display-name"), textOf(form, "key")];
        await save({
          ...(nextName === name ? {} : { display_name: nextName }),
          ...(nextKey === key ? {} : { unique_key: nextKey }),
        });
      }}
    >
      <TextInput
        isOptional
        label={texts.name}
        name="display-name"
        autoComplete="off"
        help={texts.nameHelp}
        initial={name}
      />
      <TextInput
        label={texts.keyLabel}
        name="key"
        autoComplete="off"
        help={`${texts.keyStays} ${texts.keyHelp}`}
        initial={key}
      />
    </SaveForm>
  );
}

function WebhooksCard({ integration }: Props) {
  const texts = useTextsOf(integrationFormTexts);
  const save = useSaveIntegration(integration);
  const { forward_webhooks: forwards, settings = {} } = integration;
  const { webhook_limit_per_min: limit, webhook_sequence: sequence } = settings;
  return (
    <SaveForm
      title={texts.webhooksTitle}
      scope={UPDATE}
      onSave={async (form) => {
        await save({
          forward_webhooks: isOn(form, "forward-webhooks"),
          settings: {
            forward_raw: isOn(form, "forward-raw") || null,
            allow_unsigned_webhooks: isOn(form, "allow-unsigned-webhooks") || null,
            webhook_limit_per_min: numberOf(form, "webhook-limit-per-min"),
            webhook_sequence: textOf(form, "webhook-sequence") || null,
          },
        });
      }}
    >
      <ToggleInput name="forward-webhooks" label={texts.forward} initial={forwards} />
      <ToggleInput
        name="forward-raw"
        label={texts.forwardRaw}
        initial={settings.forward_raw === true}
      />
      <ToggleInput
        name="allow-unsigned-webhooks"
        label={texts.unsigned}
        initial={settings.allow_unsigned_webhooks === true}
      />
      <TextInput
        isOptional
        isNumber
        label={texts.webhookLimit}
        name="webhook-limit-per-min"
        autoComplete="off"
        help={texts.webhookLimitHelp}
        initial={limit === undefined ? "" : String(limit)}
      />
      <TextInput
        isOptional
        label={texts.sequence}
        name="webhook-sequence"
        autoComplete="off"
        help={texts.sequenceHelp}
        initial={sequence ?? ""}
      />
    </SaveForm>
  );
}

const revokes = ["default", "yes", "no"] as const;
const versions = ["pinned", "latest"] as const;
const bindings = ["strict", "off"] as const;

function BehaviourCard({ integration }: Props) {
  const texts = useTextsOf(integrationFormTexts);
  const save = useSaveIntegration(integration);
  const { settings = {}, provider_version: version } = integration;
  const { revoke_on_delete: revoke } = settings;
  const isCustom = version !== undefined;
  return (
    <SaveForm
      title={texts.behaviourTitle}
      scope={UPDATE}
      onSave={async (form) => {
        const chosen = textOf(form, "revoke-on-delete");
        const hosts = linesOf(form, "allowed-hosts");
        await save({
          settings: {
            state_binding: textOf(form, "state-binding") === "off" ? "off" : null,
            revoke_on_delete: chosen === "default" ? null : chosen === "yes",
            allowed_hosts: hosts.length === 0 ? null : hosts,
            ...(isCustom && {
              provider_version: textOf(form, "provider-version") === "latest" ? "latest" : null,
            }),
          },
        });
      }}
    >
      <ChoiceInput
        name="state-binding"
        label={texts.stateBinding}
        initial={settings.state_binding ?? "strict"}
        choices={bindings.map((id) => ({ id, text: texts.stateBindings[id] }))}
      />
      <ChoiceInput
        name="revoke-on-delete"
        label={texts.revoke}
        initial={revoke === undefined ? "default" : revoke ? "yes" : "no"}
        choices={revokes.map((id) => ({ id, text: texts.revokes[id] }))}
      />
      {isCustom && (
        <ChoiceInput
          name="provider-version"
          label={texts.version}
          initial={settings.provider_version ?? "pinned"}
          choices={versions.map((id) => ({ id, text: texts.versions[id] }))}
        />
      )}
      <LinesInput
        name="allowed-hosts"
        label={texts.hosts}
        help={texts.hostsHelp}
        initial={settings.allowed_hosts ?? []}
      />
    </SaveForm>
  );
}

function textOf(form: FormData, name: string): string {
  return String(form.get(name) ?? "").trim();
}
