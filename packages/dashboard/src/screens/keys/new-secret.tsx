import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import type { KeyOwner } from "../../data/environment/keys.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { SecretOnce } from "../../parts/forms/secret-once.tsx";
import { keyVariable } from "../../parts/panels/code-panel.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { isOfAccount } from "./key-words.ts";

/** The secret of a new key, and the line of an .env file with it; then what to do with them. */
export function NewSecret({
  owner,
  secret,
  children,
  onDone,
}: {
  owner: KeyOwner;
  secret: string;
  children?: ReactNode;
  onDone: () => void;
}) {
  const { keys: texts } = useTexts();
  const line = `${keyVariable(isOfAccount(owner) ? "account" : owner.environment)}=${secret}`;
  return (
    <>
      <SecretOnce label={texts.secret} secret={secret} />
      <h3 className="label">{texts.envLine}</h3>
      <section aria-label={texts.envLine}>
        <pre className="code">{line}</pre>
      </section>
      {children}
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
