import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Form } from "react-aria-components/Form";
import { createKey, type KeyOwner, readKeysAgain } from "../../data/environment/keys.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { SecretOnce } from "../../parts/forms/secret-once.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { keyVariable } from "../../parts/panels/code-panel.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { expiryOf, isOfAccount } from "./key-words.ts";
import { type ChosenScopes, ScopeInput } from "./scope-input.tsx";

/** Makes a key; its secret is on the page until the dialog closes, and nowhere else. */
export function NewKeyButton({ owner, isDisabled }: { owner: KeyOwner; isDisabled: boolean }) {
  const { keys: texts } = useTexts();
  return (
    <DialogButton
      label={texts.add}
      title={texts.addTitle}
      look="primary"
      isDisabled={isDisabled}
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
    const { secret } = make.data;
    const variable = keyVariable(isAccount ? "account" : owner.environment);
    const line = `${variable}=${secret}`;
    return (
      <>
        <SecretOnce label={texts.secret} secret={secret} />
        <h3 className="label">{texts.envLine}</h3>
        <section aria-label={texts.envLine}>
          <pre className="code">{line}</pre>
        </section>
        <div className="row">
          <CopyButton text={() => line} />
          <span className="space" />
          <Button className="button primary" onPress={onDone}>
            {texts.done}
          </Button>
        </div>
      </>
    );
  }
  return (
    <Form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate(String(new FormData(event.currentTarget).get("key-name")).trim());
      }}
    >
      {make.isError && <FaultBanner error={make.error} />}
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
    </Form>
  );
}
