import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import {
  createKey,
  type KeyOwner,
  readKeysAgain,
  scopeOfKeys,
} from "../../data/environment/keys.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { expiryOf, isOfAccount } from "./key-words.ts";
import { NewSecret } from "./new-secret.tsx";
import { type ChosenScopes, ScopeInput } from "./scope-input.tsx";

/** Where the values of the fields are in the call. */
const valuePaths = {
  "key-name": "display_name",
};

/** Makes a key; its secret is on the page until the dialog closes, and nowhere else. */
export function NewKeyButton({ owner }: { owner: KeyOwner }) {
  const { keys: texts } = useTexts();
  return (
    <DialogButton
      label={texts.add}
      title={texts.addTitle}
      look="primary"
      scope={scopeOfKeys(owner, "create")}
      isWide
    >
      {(close) => <NewKey owner={owner} onDone={close} />}
    </DialogButton>
  );
}

function NewKey({ owner, onDone }: { owner: KeyOwner; onDone: () => void }) {
  const { keys: texts } = useTexts();
  const isAccount = isOfAccount(owner);
  const all = isAccount ? "account:*" : "environment:*";
  const [chosen, setChosen] = useState<ChosenScopes>({ profile: "everything", scopes: [all] });
  const [expiry, setExpiry] = useState("never");
  const make = useMutation({
    mutationFn: async (name: string) => {
      const expiresAt = expiryOf(expiry) ?? null;
      const change = { display_name: name, scopes: chosen.scopes, expires_at: expiresAt };
      return await createKey(owner, change);
    },
    onSuccess: async () => await readKeysAgain(owner),
    // The answer holds the secret: nothing keeps it once the dialog is closed.
    gcTime: 0,
  });
  if (make.data !== undefined) {
    return <NewSecret owner={owner} secret={make.data.secret} onDone={onDone} />;
  }
  return (
    <ApiForm
      className="stack"
      error={make.error}
      values={valuePaths}
      onSend={(form) => make.mutate(String(form.get("key-name")).trim())}
    >
      <TextInput
        autoFocus
        label={texts.name}
        name="key-name"
        autoComplete="off"
        help={texts.nameHelp}
      />
      <ScopeInput isAccount={isAccount} chosen={chosen} onChange={setChosen} />
      <ChoiceInput
        label={texts.expiry}
        value={expiry}
        choices={Object.entries(texts.expiries)
          .filter(([id]) => id !== "keep")
          .map(([id, text]) => ({ id, text }))}
        onChange={setExpiry}
      />
      <div className="row">
        <Button
          className="button primary"
          type="submit"
          isDisabled={chosen.scopes.length === 0}
          isPending={make.isPending}
        >
          {texts.make}
        </Button>
      </div>
    </ApiForm>
  );
}
