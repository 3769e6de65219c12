import { useMutation, useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../data/api.ts";
import {
  readChangesAgain,
  type WebhookSettings,
  webhookSettingsQuery,
} from "../../data/environment/settings.ts";
import { queryClient } from "../../data/query-client.ts";
import { formatShortDay } from "../../parts/formats.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { Reveal } from "../../parts/forms/reveal.tsx";
import { SaveForm } from "../../parts/forms/save-form.tsx";
import { SecretOnce } from "../../parts/forms/secret-once.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { isOn, ToggleInput } from "../../parts/forms/toggle-input.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { settingDefaultTexts } from "../../texts/environment/setting-defaults.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { LastChange } from "./last-change.tsx";
import { WithQuery } from "./with-settings.tsx";

/** Where the values of the fields are in the call. */
const valuePaths = {
  primary: "primary_url",
  secondary: "secondary_url",
};

type Flag = {
  [Name in keyof WebhookSettings]: WebhookSettings[Name] extends boolean ? Name : never;
}[keyof WebhookSettings];

/** Every kind there is, and whether it is sent unless somebody changes that: one that is missing is a type error. */
const flagDefaults: Readonly<Record<Flag, boolean>> = {
  on_auth_creation: true,
  on_auth_refresh_error: true,
  on_sync_error: true,
  on_sync_completion_always: true,
  on_async_action_completion: true,
  on_webhook_sync_completion: true,
  on_problem: false,
  on_agent_approval: true,
  on_agent_tool_changed: true,
  on_canary: true,
  on_audit_seal: false,
  forward: true,
};
const flags = Object.keys(flagDefaults).filter((name): name is Flag => name in flagDefaults);

/** Where webhooks go, which are sent, and the key that signs them. */
export function WebhooksTab() {
  const { settings: texts } = useTexts();
  const defaults = useTextsOf(settingDefaultTexts);
  const { name: environment } = useEnvironment();
  const query = useQuery(webhookSettingsQuery(environment));
  const change = async (body: object) => {
    await callApi("updateWebhookSettings", { environment, body });
    const { queryKey } = webhookSettingsQuery(environment);
    await queryClient.invalidateQueries({ queryKey });
    await queryClient.invalidateQueries({ queryKey: ["receivers", environment] });
    await readChangesAgain(environment);
  };
  const scope = "environment:webhooks:write";
  return (
    <WithQuery query={query}>
      {(settings) => (
        <div className="stack measure">
          <SaveForm
            values={valuePaths}
            title={texts.addresses}
            scope={scope}
            lastChange={<LastChange of="webhooks" names={["primary_url", "secondary_url"]} />}
            onSave={async (form) =>
              await change({
                primary_url: String(form.get("primary")).trim(),
                secondary_url: String(form.get("secondary")).trim(),
              })
            }
          >
            <TextInput
              isOptional
              label={texts.primary}
              name="primary"
              autoComplete="off"
              help={texts.primaryHelp}
              initial={settings.primary_url}
            />
            <TextInput
              isOptional
              label={texts.secondary}
              name="secondary"
              autoComplete="off"
              help={texts.secondaryHelp}
              initial={settings.secondary_url}
            />
          </SaveForm>
          <SaveForm
            title={texts.which}
            scope={scope}
            lastChange={<LastChange of="webhooks" names={flags} />}
            onSave={async (form) =>
              await change(Object.fromEntries(flags.map((flag) => [flag, isOn(form, flag)])))
            }
          >
            {flags.map((flag) => (
              <ToggleInput
                key={flag}
                name={flag}
                label={texts.flags[flag]}
                help={[flagDefaults[flag] ? defaults.on : defaults.off, texts.flagHelps[flag]]
                  .filter((part) => part !== undefined)
                  .join(" ")}
                initial={settings[flag]}
              />
            ))}
          </SaveForm>
          <SigningKey settings={settings} />
        </div>
      )}
    </WithQuery>
  );
}

function SigningKey({ settings }: { settings: WebhookSettings }) {
  const { settings: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const older = settings.signing_keys.find(({ expires_at: expiresAt }) => expiresAt !== null);
  return (
    <Card title={texts.signing}>
      <div className="stack padded">
        <p className="soft">{texts.signingText}</p>
        <Reveal
          label={texts.signingKey}
          mask={settings.signing_key}
          read={async () =>
            (await callApi("revealWebhookSigningKeys", { environment })).data.signing_key
          }
        />
        {older !== undefined && older.expires_at !== null && (
          <p>{texts.older(formatShortDay(older.expires_at))}</p>
        )}
        <div className="row">
          <DialogButton label={texts.rotate} scope="environment:webhook_signing_key:rotate">
            {(close) => <Rotate onDone={close} />}
          </DialogButton>
          <LastChange of="webhooks" names={["signing_key"]} />
        </div>
      </div>
    </Card>
  );
}

function Rotate({ onDone }: { onDone: () => void }) {
  const { settings: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const rotate = useMutation({
    mutationFn: async (immediate: boolean) =>
      (await callApi("rotateWebhookSigningKey", { environment, body: { immediate } })).data,
    onSuccess: async () => {
      const { queryKey } = webhookSettingsQuery(environment);
      await queryClient.invalidateQueries({ queryKey });
      await readChangesAgain(environment);
    },
    gcTime: 0,
  });
  if (rotate.data !== undefined) {
    return (
      <>
        <SecretOnce label={texts.newKey} secret={rotate.data.webhook_signing_key} />
        <Button className="button primary" onPress={onDone}>
          {tables.close}
        </Button>
      </>
    );
  }
  return (
    <ApiForm
      className="stack"
      error={rotate.error}
      onSend={(form) => rotate.mutate(isOn(form, "now"))}
    >
      <p>{texts.rotateText}</p>
      <ToggleInput name="now" label={texts.rotateNow} initial={false} />
      <div className="row">
        <Button className="button danger" type="submit" isPending={rotate.isPending}>
          {texts.rotateDo}
        </Button>
      </div>
    </ApiForm>
  );
}
