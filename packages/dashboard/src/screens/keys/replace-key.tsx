import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Button } from "react-aria-components/Button";
import {
  type ApiKey,
  type KeyOwner,
  readKeysAgain,
  replaceKey,
} from "../../data/environment/keys.ts";
import { formatDay, plainText } from "../../parts/formats.ts";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { SecretOnce } from "../../parts/forms/secret-once.tsx";
import { Go } from "../../parts/go.tsx";
import { choicesOf } from "../../parts/list/word-filters.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { keyVariable } from "../../parts/panels/code-panel.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { callerText, isOfAccount, isUsedSince } from "./key-words.ts";

/** Replacing a key, step by step: what is done, and what comes next. */
export function ReplaceCard({
  apiKey,
  keys,
  owner,
  mayReplace,
}: {
  apiKey: ApiKey;
  keys: readonly ApiKey[];
  owner: KeyOwner;
  mayReplace: boolean;
}) {
  const { keys: texts } = useTexts();
  const next = keys.find(({ id }) => id === apiKey.replaced_by);
  return (
    <Card title={texts.replace}>
      {next === undefined ? (
        <ol className="padded steps">
          {texts.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      ) : (
        <Replaced apiKey={apiKey} next={next} />
      )}
      {next === undefined && !isOfAccount(owner) && (
        <div className="row padded">
          <DialogButton label={texts.replaceNow} isDisabled={!mayReplace} isWide>
            {(close) => <Replace apiKey={apiKey} environment={owner.environment} onEnd={close} />}
          </DialogButton>
        </div>
      )}
    </Card>
  );
}

/** The steps that are left of a key which is replaced: who still uses it, and when it may go. */
function Replaced({ apiKey, next }: { apiKey: ApiKey; next: ApiKey }) {
  const { keys: texts } = useTexts();
  const { last_used_at: usedAt, expires_at: expiresAt } = apiKey;
  const isUsed = isUsedSince(apiKey, next);
  return (
    <ol className="padded steps">
      <li>
        {texts.replacedOn(formatDay(next.created_at))}{" "}
        <Go target={{ to: ".", search: { open: next.id } }}>{plainText(next.display_name, 60)}</Go>
      </li>
      <li>
        {usedAt === null || !isUsed
          ? texts.unusedSince
          : texts.stillUsed(formatDay(usedAt), callerText(apiKey, texts))}
      </li>
      <li>{isUsed ? texts.moveFirst : texts.deleteNow}</li>
      {expiresAt !== null && <li>{texts.worksUntil(formatDay(expiresAt))}</li>}
    </ol>
  );
}

function Replace({
  apiKey,
  environment,
  onEnd,
}: {
  apiKey: ApiKey;
  environment: string;
  onEnd: () => void;
}) {
  const { keys: texts, tables } = useTexts();
  const [grace, setGrace] = useState("604800");
  const replace = useMutation({
    mutationFn: async () => await replaceKey(environment, apiKey.id, Number(grace)),
    // The answer holds the secret: nothing keeps it once the dialog is closed.
    gcTime: 0,
  });
  // Not before: the panel then has other steps, and the dialog with the secret would be gone.
  useEffect(() => () => void readKeysAgain({ environment }), [environment]);
  const secret = replace.data?.key.secret;
  if (secret !== undefined) {
    const line = `${keyVariable(environment)}=${secret}`;
    return (
      <>
        <SecretOnce label={texts.secret} secret={secret} />
        <section aria-label={texts.envLine}>
          <pre className="code">{line}</pre>
        </section>
        <p>{texts.giveToUsers}</p>
        <div className="row">
          <span className="space" />
          <Button className="button primary" onPress={onEnd}>
            {texts.done}
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      <p>{texts.replaceText(plainText(apiKey.display_name, 80))}</p>
      {replace.isError && <FaultBanner error={replace.error} />}
      <ChoiceInput
        label={texts.grace}
        value={grace}
        choices={choicesOf(texts.graces)}
        onChange={setGrace}
      />
      <div className="row">
        <Button className="button" onPress={onEnd}>
          {tables.cancel}
        </Button>
        <Button
          className="button primary"
          isPending={replace.isPending}
          onPress={() => replace.mutate()}
        >
          {texts.makeReplacement}
        </Button>
      </div>
    </>
  );
}

/** Reminds of keys that were replaced and that nothing uses any more. */
export function ReplacedKeys({ keys }: { keys: readonly ApiKey[] }) {
  const { keys: texts } = useTexts();
  const idle = keys.filter((key) => {
    const next = keys.find(({ id }) => id === key.replaced_by);
    return next !== undefined && !isUsedSince(key, next);
  });
  if (idle.length === 0) return null;
  return (
    <ul className="banner warn plain-list" aria-label={texts.reminder}>
      {idle.map(({ id, display_name: name }) => (
        <li key={id}>
          {texts.reminderText}{" "}
          <Go target={{ to: ".", search: { open: id } }}>{plainText(name, 80)}</Go>
        </li>
      ))}
    </ul>
  );
}
