import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import {
  type ApiKey,
  deleteKey,
  type KeyChange,
  type KeyOwner,
  readKeysAgain,
  scopeOfKeys,
  updateKey,
} from "../../data/environment/keys.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatDay, plainText } from "../../parts/formats.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { Card } from "../../parts/panels/card.tsx";
import {
  type CodeExample,
  cliOf,
  curlOf,
  nodeCall,
  quote,
} from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { Drawer } from "../../parts/panels/drawer.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { profileOf } from "./key-scopes.ts";
import { callerText, creatorOf, expiryOf, isOfAccount, stateOf } from "./key-words.ts";
import { ReplaceCard } from "./replace-key.tsx";
import { type ChosenScopes, ScopeInput } from "./scope-input.tsx";

/** Where the values of the fields are in the call. */
const valuePaths = {
  "key-name": "display_name",
};

/** One key next to the list: what it may do, changing that, replacing and deleting it. */
export function KeyDrawer({
  apiKey,
  keys,
  owner,
  mayChange,
  onClose,
  onStep,
}: {
  apiKey: ApiKey;
  /** All keys of the owner. */
  keys: readonly ApiKey[];
  owner: KeyOwner;
  mayChange: boolean;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const { keys: texts } = useTexts();
  const isProduction = useEnvironment().is_production && !isOfAccount(owner);
  const [tone, state] = stateOf(apiKey, texts);
  return (
    <Drawer title={plainText(apiKey.display_name, 60)} onClose={onClose} onStep={onStep}>
      <p className="padded">
        <Badge tone={tone}>{state}</Badge>
      </p>
      <Card title={texts.about}>
        <Facts
          rows={[
            [
              texts.scopes,
              <span className="mono" key="scopes">
                {plainText(apiKey.scopes.join(" "), 4000)}
              </span>,
            ],
            [texts.createdBy, plainText(creatorOf(apiKey, texts))],
            [texts.created, formatDay(apiKey.created_at)],
            [
              texts.lastUsed,
              apiKey.last_used_at === null ? texts.never : formatDay(apiKey.last_used_at),
            ],
            [
              texts.lastUsedFrom,
              apiKey.last_used_from === null ? undefined : callerText(apiKey, texts),
            ],
            [
              texts.expires,
              apiKey.expires_at === null ? texts.noExpiry : formatDay(apiKey.expires_at),
            ],
          ]}
        />
      </Card>
      {mayChange && <Change apiKey={apiKey} owner={owner} />}
      <ReplaceCard apiKey={apiKey} keys={keys} owner={owner} />
      <div className="row padded">
        <ConfirmButton
          label={texts.delete}
          title={texts.deleteTitle}
          scope={scopeOfKeys(owner, "delete")}
          text={texts.deleteText(plainText(apiKey.display_name, 80))}
          confirm={isOfAccount(owner) ? texts.deleteOfAccount : texts.deleteIn(owner.environment)}
          typed={isProduction ? { label: texts.typeName, text: apiKey.display_name } : undefined}
          code={codeOfDelete(owner, apiKey.id)}
          onConfirm={async () => {
            await deleteKey(owner, apiKey.id);
            onClose();
            await readKeysAgain(owner);
          }}
        />
      </div>
    </Drawer>
  );
}

function codeOfDelete(owner: KeyOwner, id: string): readonly CodeExample[] {
  const body = { key_id: id };
  if (owner === "account") {
    return [
      curlOf("deleteAccountApiKey", "account", { body }),
      nodeCall("account", "accountApiKeys.delete", body),
      cliOf(`keys delete ${quote(id)} --account`),
    ];
  }
  const { environment } = owner;
  return [
    curlOf("deleteApiKey", environment, { body }),
    nodeCall(environment, "apiKeys.delete", body),
    cliOf(`keys delete ${quote(id)} --environment ${quote(environment)}`),
  ];
}

function Change({ apiKey, owner }: { apiKey: ApiKey; owner: KeyOwner }) {
  const { keys: texts } = useTexts();
  const isAccount = isOfAccount(owner);
  const [chosen, setChosen] = useState<ChosenScopes>({
    profile: profileOf(isAccount, apiKey.scopes),
    scopes: apiKey.scopes,
  });
  const [expiry, setExpiry] = useState("keep");
  const save = useMutation({
    mutationFn: async (name: string) => {
      const expiresAt = expiryOf(expiry);
      const change: KeyChange = {
        ...(name === apiKey.display_name ? {} : { display_name: name }),
        ...(chosen.scopes === apiKey.scopes ? {} : { scopes: chosen.scopes }),
        ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
      };
      await updateKey(owner, apiKey.id, change);
    },
    onSuccess: async () => await readKeysAgain(owner),
  });
  return (
    <Card title={texts.change}>
      <ApiForm
        className="stack padded"
        error={save.error}
        values={valuePaths}
        onSend={(form) => save.mutate(String(form.get("key-name")).trim())}
      >
        <TextInput
          label={texts.name}
          name="key-name"
          autoComplete="off"
          initial={apiKey.display_name}
        />
        <ScopeInput isAccount={isAccount} chosen={chosen} onChange={setChosen} />
        <ChoiceInput
          label={texts.expiry}
          value={expiry}
          choices={Object.entries(texts.expiries).map(([id, text]) => ({ id, text }))}
          onChange={setExpiry}
        />
        <div className="row">
          <Button
            className="button"
            type="submit"
            isDisabled={chosen.scopes.length === 0}
            isPending={save.isPending}
          >
            {texts.save}
          </Button>
          <span role="status">{save.isSuccess ? texts.saved : ""}</span>
        </div>
      </ApiForm>
    </Card>
  );
}
