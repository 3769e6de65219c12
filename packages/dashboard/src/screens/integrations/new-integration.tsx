import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Dialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { callApi } from "../../data/api.ts";
import { clientFormOf } from "../../data/integration-client.ts";
import type { Provider } from "../../data/integrations.ts";
import { queryClient } from "../../data/query-client.ts";
import { plainText } from "../../parts/formats.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { Go } from "../../parts/go.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { customProviderTexts } from "../../texts/screens/custom-providers.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { providerPage } from "../custom-providers/provider-words.ts";

/** Where the values of the fields are in the call. */
const valuePaths = {
  key: "unique_key",
};

/**
 * Sets a provider up as an integration. The client may be left out, and set later. Leads to the integration's page, or
 * calls `onMade`.
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
  const { integrations: texts } = useTexts();
  const customProviders = useTextsOf(customProviderTexts);
  const { name: environment } = useEnvironment();
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="dialog">
        <Dialog>
          <Heading slot="title">{texts.setUp(plainText(provider.display_name, 60))}</Heading>
          {provider.custom_version !== undefined && onMade === undefined && (
            <Go target={providerPage(environment, provider.name)}>{customProviders.editEntry}</Go>
          )}
          <SetUpForm provider={provider} onMade={onMade} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function SetUpForm({ provider, onMade }: { provider: Provider; onMade: (() => void) | undefined }) {
  const { integrations: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  const client = clientFormOf(provider.auth_mode);
  const create = useMutation({
    mutationFn: async (form: FormData) => {
      const body = { provider: provider.name, ...bodyOf(form, provider.auth_mode) };
      return (await callApi("createIntegration", { environment, body: Object(body) })).data;
    },
    onSuccess: async ({ unique_key: key }) => {
      await queryClient.invalidateQueries({ queryKey: ["integrations", environment] });
      if (onMade !== undefined) {
        onMade();
        return;
      }
      const path = [environment, "integrations", key].map(encodeURIComponent).join("/");
      await navigate({ to: `/${path}` });
    },
  });
  return (
    <ApiForm
      className="stack"
      error={create.error}
      values={valuePaths}
      onSend={(form) => create.mutate(form)}
    >
      <TextInput
        autoFocus
        label={texts.keyLabel}
        name="key"
        autoComplete="off"
        help={texts.keyHelp}
        initial={provider.name}
      />
      {client !== undefined && (
        <>
          <TextInput isOptional label={texts.clientId} name="client-id" autoComplete="off" />
          <TextInput
            isOptional
            label={texts.clientSecret}
            name="client-secret"
            type="password"
            autoComplete="off"
          />
          {client.hasScopes && (
            <TextInput
              isOptional
              label={texts.scopes}
              name="scopes"
              autoComplete="off"
              help={texts.scopesHelp}
            />
          )}
          <p className="soft">{texts.later}</p>
        </>
      )}
      <div className="row">
        <span className="space" />
        <ScopedButton
          look="primary"
          type="submit"
          scope="environment:integrations:create"
          isPending={create.isPending}
        >
          {texts.create}
        </ScopedButton>
      </div>
    </ApiForm>
  );
}

function bodyOf(form: FormData, mode: string): object {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const client = {
    client_id: text("client-id"),
    client_secret: text("client-secret"),
    ...(clientFormOf(mode)?.hasScopes === true ? { scopes: text("scopes") } : {}),
  };
  const hasClient = client.client_id !== "" || client.client_secret !== "";
  return {
    unique_key: text("key"),
    ...(hasClient ? { credentials: { type: mode, ...client } } : {}),
  };
}
