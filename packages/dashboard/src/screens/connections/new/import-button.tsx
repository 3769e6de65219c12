import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { callApi } from "../../../data/api.ts";
import {
  type ImportFields,
  importFieldsOf,
  pathsOfImport,
  valuesOf,
} from "../../../data/environment/import-fields.ts";
import { type Integration, integrationsQuery, providerQuery } from "../../../data/integrations.ts";
import { queryClient } from "../../../data/query-client.ts";
import { plainText } from "../../../parts/formats.ts";
import { ApiForm } from "../../../parts/forms/api-form.tsx";
import { ChoiceInput } from "../../../parts/forms/choice-input.tsx";
import { LinesInput, linesOf } from "../../../parts/forms/lines-input.tsx";
import { MomentInput, toMoment } from "../../../parts/forms/moment-input.tsx";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { DialogButton } from "../../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { Skeleton } from "../../../parts/panels/skeleton.tsx";
import { ScopedButton } from "../../../parts/scoped-button.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { connectionTexts } from "../../../texts/screens/connection.ts";
import { useTexts, useTextsOf } from "../../../texts/use-texts.ts";
import { nameOfMode } from "../../integrations/auth-mode-words.ts";
import { pageOf, pairsOf } from "../connection-words.ts";
import { ProviderInput } from "../provider-input.tsx";

const SCOPE = "environment:connections:create";

/** Makes a connection of credentials that somebody holds already. */
export function ImportButton() {
  const texts = useTextsOf(connectionTexts);
  return (
    <DialogButton label={texts.import} title={texts.importTitle} scope={SCOPE}>
      {(close) => <ImportDialog onDone={close} />}
    </DialogButton>
  );
}

function ImportDialog({ onDone }: { onDone: () => void }) {
  const { connections } = useTexts();
  const texts = useTextsOf(connectionTexts);
  const { name: environment } = useEnvironment();
  const [key, setKey] = useState<string>();
  const query = useQuery(integrationsQuery(environment));
  if (query.isError) {
    return <FaultBanner error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data === undefined) return <Skeleton rows={4} />;
  const integrations = query.data;
  const integration = integrations.find(({ unique_key: each }) => each === key) ?? integrations[0];
  if (integration === undefined) return <p>{texts.noIntegration}</p>;
  return (
    <>
      <p className="soft">{texts.importText}</p>
      <ChoiceInput
        label={connections.integration}
        value={integration.unique_key}
        choices={integrations.map(({ unique_key: id, display_name: name }) => ({
          id,
          text: plainText(name === id ? id : `${name} (${id})`, 100),
        }))}
        onChange={setKey}
      />
      <OfProvider key={integration.unique_key} integration={integration} onDone={onDone} />
    </>
  );
}

function OfProvider({ integration, onDone }: { integration: Integration; onDone: () => void }) {
  const texts = useTextsOf(connectionTexts);
  const { name: environment } = useEnvironment();
  const provider = useQuery(providerQuery(environment, integration.provider));
  if (provider.isError) {
    return <FaultBanner error={provider.error} onRetry={() => void provider.refetch()} />;
  }
  if (provider.data === undefined) return <Skeleton rows={4} />;
  const fields = importFieldsOf(provider.data);
  if (fields === undefined) return <p className="banner warn">{texts.connectOnly}</p>;
  return (
    <ImportForm
      integration={integration.unique_key}
      mode={provider.data.auth_mode}
      fields={fields}
      onDone={onDone}
    />
  );
}

function ImportForm({
  integration,
  mode,
  fields,
  onDone,
}: {
  integration: string;
  mode: string;
  fields: ImportFields;
  onDone: () => void;
}) {
  const { connections, authModes } = useTexts();
  const texts = useTextsOf(connectionTexts);
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  const [expiresAt, setExpiresAt] = useState("");
  const save = useMutation({
    mutationFn: async (form: FormData) => {
      const body = bodyOf(form, { integration, fields, expiresAt: toMoment(expiresAt) });
      return await callApi("createConnection", { environment, body: Object(body) });
    },
    onSuccess: async (connection) => {
      await queryClient.invalidateQueries({ queryKey: ["connections", environment] });
      onDone();
      await navigate({ to: pageOf(environment, connection).to });
    },
    // What was sent holds secrets: nothing keeps it once the dialog is closed.
    gcTime: 0,
  });
  return (
    <ApiForm
      className="stack"
      error={save.error}
      values={{
        ...pathsOfImport(fields),
        [EXPIRES]: "credentials.expires_at",
        [ID]: "connection_id",
      }}
      onSend={(form) => save.mutate(form)}
    >
      <h3>{texts.credentialsOf(nameOfMode(mode, authModes))}</h3>
      {fields.credentials.length === 0 && <p className="soft">{texts.noCredentials}</p>}
      {fields.credentials.map((field) => (
        <ProviderInput key={field.id} field={field} />
      ))}
      {fields.hasExpiry && (
        <MomentInput
          label={texts.tokenExpires}
          name={EXPIRES}
          value={expiresAt}
          onChange={setExpiresAt}
        />
      )}
      {fields.config.length > 0 && <h3>{connections.config}</h3>}
      {fields.config.map((field) => (
        <ProviderInput key={field.id} field={field} />
      ))}
      <h3>{texts.whose}</h3>
      <TextInput
        isOptional
        label={connections.id}
        name={ID}
        autoComplete="off"
        help={texts.importId}
      />
      <LinesInput label={connections.tags} name="tags" help={texts.importTags} />
      <div className="row">
        <span className="space" />
        <ScopedButton type="submit" look="primary" scope={SCOPE} isPending={save.isPending}>
          {texts.importIn(environment)}
        </ScopedButton>
      </div>
    </ApiForm>
  );
}

const EXPIRES = "expires-at";
const ID = "connection-id";

function bodyOf(
  form: FormData,
  {
    integration,
    fields,
    expiresAt,
  }: { integration: string; fields: ImportFields; expiresAt: string | undefined },
): object {
  const config = valuesOf(form, fields.config);
  const tags = pairsOf(linesOf(form, "tags"));
  const id = String(form.get(ID) ?? "").trim();
  return {
    provider_config_key: integration,
    credentials: {
      ...valuesOf(form, fields.credentials),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    },
    ...(id === "" ? {} : { connection_id: id }),
    ...(Object.keys(config).length === 0 ? {} : { connection_config: config }),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
  };
}
