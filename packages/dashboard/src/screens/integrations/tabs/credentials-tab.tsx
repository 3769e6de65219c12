import { useQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { callApi } from "../../../data/api.ts";
import {
  type FieldGroups,
  findFocus,
  type GroupName,
  listAsked,
  nameOfField,
  nameOfRemoval,
  readChange,
} from "../../../data/integration-fields.ts";
import { type Integration, providerQuery } from "../../../data/integrations.ts";
import { plainText } from "../../../parts/formats.ts";
import { Reveal } from "../../../parts/forms/reveal.tsx";
import { SaveForm } from "../../../parts/forms/save-form.tsx";
import { ToggleInput } from "../../../parts/forms/toggle-input.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { Empty } from "../../../parts/panels/empty.tsx";
import { useAddress } from "../../../parts/use-address.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { integrationFormTexts } from "../../../texts/screens/integration-forms.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import { EntryInput } from "../fields/entry-input.tsx";
import { ToRegister } from "../fields/to-register.tsx";
import { UPDATE, useSaveIntegration } from "./save-integration.ts";

const MASK = "••••••••";
const none: FieldGroups = { credentials: {}, integration_config: {}, custom: {} };

/** What an integration is set up with at the provider: its client or app, and what else the provider asks for. */
export function CredentialsTab({ integration }: { integration: Integration }) {
  const texts = useTextsOf(integrationFormTexts);
  const groups = integration.fields ?? none;
  const hasOwn = Object.keys(groups.credentials).length > 0;
  return (
    <div className="columns">
      <div className="stack">
        <Fields
          title={texts.credentialsTitle}
          integration={integration}
          groups={["credentials", "custom"]}
          note={hasOwn ? undefined : texts.noCredentials}
        />
        {Object.keys(groups.integration_config).length > 0 && (
          <Fields
            title={texts.configTitle}
            integration={integration}
            groups={["integration_config"]}
          />
        )}
      </div>
      <div className="stack">
        <Registration integration={integration} />
        <Secrets integration={integration} groups={groups} />
      </div>
    </div>
  );
}

/** A form for groups of values; only what changes is sent. */
function Fields({
  title,
  integration,
  groups: names,
  note,
}: {
  title: string;
  integration: Integration;
  groups: readonly GroupName[];
  note?: string | undefined;
}) {
  const texts = useTextsOf(integrationFormTexts);
  const { words } = useAddress();
  const save = useSaveIntegration(integration);
  const [saved, setSaved] = useState(0);
  const all = integration.fields ?? none;
  const focus = findFocus(all, words["field"]);
  return (
    <SaveForm
      title={title}
      scope={UPDATE}
      onSave={async (form) => {
        const changed = names.map((name) => [name, readChange(form, name, all[name])] as const);
        const given = changed.filter(([, values]) => Object.keys(values).length > 0);
        await save(Object.fromEntries(given));
        setSaved(saved + 1);
      }}
    >
      {note !== undefined && <p className="soft">{note}</p>}
      {names.flatMap((group) =>
        listAsked(all[group]).map(([name, field]) => (
          // What was typed is forgotten once it is saved.
          <Fragment key={`${group} ${name} ${saved}`}>
            <EntryInput
              name={nameOfField(group, name)}
              fieldName={name}
              field={field}
              initial={field.value ?? ""}
              isSet={field.is_set}
              isTrusted={integration.provider_version === undefined}
              autoFocus={saved === 0 && focus?.group === group && focus.name === name}
            />
            {field.secret === true && field.optional === true && field.is_set && (
              <ToggleInput
                name={nameOfRemoval(group, name)}
                label={texts.remove(plainText(field.title))}
                initial={false}
              />
            )}
          </Fragment>
        )),
      )}
      {all.credentials["client_secret"]?.is_set === true && names.includes("credentials") && (
        <p className="soft">{texts.previousSecret}</p>
      )}
    </SaveForm>
  );
}

/** What the provider has to know; nothing where the catalogue no longer has the provider. */
function Registration({ integration }: { integration: Integration }) {
  const texts = useTextsOf(integrationFormTexts);
  const { name: environment } = useEnvironment();
  const { data: provider } = useQuery(providerQuery(environment, integration.provider));
  const { callback_url: callbackUrl } = integration;
  if (callbackUrl === undefined && provider?.default_scopes === undefined) return null;
  return (
    <Card title={texts.toRegister}>
      <div className="stack padded">
        <ToRegister
          callbackUrl={callbackUrl}
          requested={integration.settings?.overrides?.scopes ?? provider?.default_scopes}
          examples={provider?.example_scopes}
        />
      </div>
    </Card>
  );
}

function Secrets({ integration, groups }: { integration: Integration; groups: FieldGroups }) {
  const texts = useTextsOf(integrationFormTexts);
  const { name: environment } = useEnvironment();
  const secrets = Object.values(groups).flatMap((fields) =>
    listAsked(fields).filter(([, field]) => field.secret === true && field.is_set),
  );
  return (
    <Card title={texts.secretsTitle}>
      {secrets.length === 0 && <Empty title={texts.noSecrets} />}
      <ul className="plain-list secrets">
        {secrets.map(([field, { title }]) => (
          <li key={field}>
            <strong>{plainText(title)}</strong>
            <Reveal
              label={plainText(title)}
              mask={MASK}
              scope="environment:integrations:read_credentials"
              read={async () => {
                const params = { uniqueKey: integration.unique_key };
                const call = { environment, params, body: { field } };
                return (await callApi("revealIntegrationField", call)).data.value;
              }}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}
