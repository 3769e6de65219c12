import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Dialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { callApi } from "../../data/api.ts";
import {
  type FullProvider,
  type GroupName,
  listAsked,
  nameOfField,
  readEntered,
} from "../../data/integration-fields.ts";
import { type Provider, providerQuery } from "../../data/integrations.ts";
import { queryClient } from "../../data/query-client.ts";
import { plainText } from "../../parts/formats.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { Go } from "../../parts/go.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton, ScopeNote } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { customProviderTexts } from "../../texts/screens/custom-providers.ts";
import { integrationFormTexts } from "../../texts/screens/integration-forms.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { providerPage } from "../custom-providers/provider-words.ts";
import { EntryInput } from "./fields/entry-input.tsx";
import { ToRegister } from "./fields/to-register.tsx";
import { integrationPage } from "./integration-words.ts";

const CREATE = "environment:integrations:create";

/** Where the values of the fields are in the call. */
const valuePaths = {
  key: "unique_key",
};

/**
 * Sets a provider up as an integration. Its credentials may be left out, and set later. Leads to the integration's
 * page, or calls `onMade`.
 */
export function NewIntegration({
  provider,
  onClose,
  onMade,
}: {
  provider: Provider;
  onClose: () => void;
  onMade?: () => void;
}) {
  const { shell } = useTexts();
  const texts = useTextsOf(integrationFormTexts);
  const customProviders = useTextsOf(customProviderTexts);
  const { name: environment } = useEnvironment();
  const query = useQuery(providerQuery(environment, provider.name));
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="dialog">
        <Dialog>
          <Heading slot="title">{texts.setUp(plainText(provider.display_name, 60))}</Heading>
          {provider.custom_version !== undefined && onMade === undefined && (
            <Go target={providerPage(environment, provider.name)}>{customProviders.editEntry}</Go>
          )}
          {query.isError && (
            <FaultBanner error={query.error} onRetry={() => void query.refetch()} />
          )}
          {query.isLoading && <p role="status">{shell.loading}</p>}
          {query.data !== undefined && <SetUpForm provider={query.data} onMade={onMade} />}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function SetUpForm({
  provider,
  onMade,
}: {
  provider: FullProvider;
  onMade: (() => void) | undefined;
}) {
  const { integrations } = useTexts();
  const texts = useTextsOf(integrationFormTexts);
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  const { integration_credentials: client = {}, integration_config: config } = provider;
  const create = useMutation({
    mutationFn: async (form: FormData) => {
      const body = bodyOf(form, provider);
      return (await callApi("createIntegration", { environment, body: Object(body) })).data;
    },
    onSuccess: async ({ unique_key: key }) => {
      await queryClient.invalidateQueries({ queryKey: ["integrations", environment] });
      if (onMade === undefined) await navigate(integrationPage(environment, key));
      else onMade();
    },
  });
  const hasClient = Object.keys(client).length > 0;
  return (
    <ApiForm
      className="stack"
      error={create.error}
      values={valuePaths}
      onSend={(form) => create.mutate(form)}
    >
      <ScopeNote scope={CREATE} />
      {/^https?:\/\//.test(provider.docs) && (
        <a href={provider.docs} target="_blank" rel="noreferrer">
          {integrations.docs}
        </a>
      )}
      <ToRegister
        callbackUrl={provider.callback_url}
        requested={provider.default_scopes}
        examples={provider.example_scopes}
      />
      <TextInput
        autoFocus
        label={texts.keyLabel}
        name="key"
        autoComplete="off"
        help={texts.keyHelp}
        initial={provider.name}
      />
      <Inputs group="integration_config" fields={config} provider={provider} />
      {hasClient && <p className="soft">{texts.later}</p>}
      <Inputs group="credentials" fields={client} provider={provider} isOptional />
      <div className="row">
        <span className="space" />
        <ScopedButton look="primary" type="submit" scope={CREATE} isPending={create.isPending}>
          {texts.create}
        </ScopedButton>
      </div>
    </ApiForm>
  );
}

function Inputs({
  group,
  fields,
  provider,
  isOptional,
}: {
  group: GroupName;
  fields: FullProvider["integration_config"];
  provider: FullProvider;
  /** They may also be set later. */
  isOptional?: true;
}) {
  const isOwn = provider.custom_version !== undefined;
  return listAsked(fields).map(([name, field]) => (
    <EntryInput
      key={name}
      name={nameOfField(group, name)}
      fieldName={name}
      field={field}
      isTrusted={!isOwn}
      {...(isOptional === undefined ? {} : { isOptional })}
    />
  ));
}

function bodyOf(form: FormData, provider: FullProvider): object {
  const { integration_credentials: client = {}, integration_config: config } = provider;
  const credentials = readEntered(form, "credentials", Object.keys(client));
  const settings = readEntered(form, "integration_config", Object.keys(config));
  return {
    provider: provider.name,
    unique_key: String(form.get("key") ?? "").trim(),
    ...(Object.keys(credentials).length > 0 ? { credentials } : {}),
    ...(Object.keys(settings).length > 0 ? { integration_config: settings } : {}),
  };
}
