import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import {
  type ApiKey,
  type KeyOwner,
  readKeysAgain,
  replaceKey,
  scopeOfKeys,
} from "../../data/environment/keys.ts";
import { formatDay, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { choicesOf } from "../../parts/list/word-filters.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { ChoiceQuestion } from "../../parts/panels/choice-question.tsx";
import {
  type CodeExample,
  cliOf,
  curlOf,
  nodeCall,
  quote,
} from "../../parts/panels/code-panel.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { callerText, isUsedSince, keyTarget } from "./key-words.ts";
import { NewSecret } from "./new-secret.tsx";

const SECONDS_AN_HOUR = 3600;

/** Replacing a key, step by step: what is done, and what comes next. */
export function ReplaceCard({
  apiKey,
  keys,
  owner,
}: {
  apiKey: ApiKey;
  keys: readonly ApiKey[];
  owner: KeyOwner;
}) {
  const { keys: texts } = useTexts();
  // The dialog with the secret stays, also when the list is read again while it is open.
  const [isAsking, setAsking] = useState(false);
  const found = keys.find(({ id }) => id === apiKey.replaced_by);
  const next = isAsking ? undefined : found;
  return (
    <Card title={texts.replace}>
      {next === undefined ? (
        <ol className="padded steps">
          {texts.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      ) : (
        <Replaced apiKey={apiKey} next={next} owner={owner} />
      )}
      {next === undefined && (
        <div className="row padded">
          <DialogButton
            label={texts.replaceNow}
            scope={[scopeOfKeys(owner, "create"), scopeOfKeys(owner, "delete")]}
            isWide
          >
            {(close) => <Replace apiKey={apiKey} owner={owner} onAsk={setAsking} onEnd={close} />}
          </DialogButton>
        </div>
      )}
    </Card>
  );
}

/** The steps that are left of a key which is replaced: who still uses it, and when it may go. */
function Replaced({ apiKey, next, owner }: { apiKey: ApiKey; next: ApiKey; owner: KeyOwner }) {
  const { keys: texts } = useTexts();
  const { last_used_at: usedAt, expires_at: expiresAt } = apiKey;
  const isUsed = isUsedSince(apiKey, next);
  return (
    <ol className="padded steps">
      <li>
        {texts.replacedOn(formatDay(next.created_at))}{" "}
        <Go target={keyTarget(owner, next.id)}>{plainText(next.display_name, 60)}</Go>
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
  owner,
  onAsk,
  onEnd,
}: {
  apiKey: ApiKey;
  owner: KeyOwner;
  onAsk: (isAsking: boolean) => void;
  onEnd: () => void;
}) {
  const { keys: texts } = useTexts();
  const [grace, setGrace] = useState("604800");
  const replace = useMutation({
    mutationFn: async () => await replaceKey(owner, apiKey.id, Number(grace)),
    // The answer holds the secret: nothing keeps it once the dialog is closed.
    gcTime: 0,
  });
  useEffect(() => {
    onAsk(true);
    return () => {
      onAsk(false);
      void readKeysAgain(owner);
    };
  }, [owner, onAsk]);
  const secret = replace.data?.key.secret;
  if (secret !== undefined) {
    return (
      <NewSecret owner={owner} secret={secret} onDone={onEnd}>
        <p>{texts.giveToUsers}</p>
      </NewSecret>
    );
  }
  return (
    <ChoiceQuestion
      label={texts.grace}
      value={grace}
      choices={choicesOf(texts.graces)}
      onChange={setGrace}
      act={replace}
      confirm={texts.makeReplacement}
      code={codeOf(owner, apiKey.id, Number(grace))}
      onEnd={onEnd}
    >
      <p>{texts.replaceText(plainText(apiKey.display_name, 80))}</p>
    </ChoiceQuestion>
  );
}

function codeOf(owner: KeyOwner, id: string, seconds: number): readonly CodeExample[] {
  const body = { key_ids: [id], grace_seconds: seconds };
  const command = `keys replace ${quote(id)} --grace-hours ${seconds / SECONDS_AN_HOUR}`;
  if (owner === "account") {
    return [
      curlOf("replaceAccountApiKeys", "account", { body }),
      nodeCall("account", "accountApiKeys.replace", body),
      cliOf(`${command} --account`),
    ];
  }
  const { environment } = owner;
  return [
    curlOf("replaceApiKeys", environment, { body }),
    nodeCall(environment, "apiKeys.replace", body),
    cliOf(`${command} --environment ${quote(environment)}`),
  ];
}

/** Reminds of keys that were replaced and that nothing uses any more. */
export function ReplacedKeys({ keys, owner }: { keys: readonly ApiKey[]; owner: KeyOwner }) {
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
          {texts.reminderText} <Go target={keyTarget(owner, id)}>{plainText(name, 80)}</Go>
        </li>
      ))}
    </ul>
  );
}
