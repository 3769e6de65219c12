import { CopyButton } from "../../../parts/copy-button.tsx";
import { plainText } from "../../../parts/formats.ts";
import { integrationFormTexts } from "../../../texts/screens/integration-forms.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";

const MOST = 10_000;

/** What the app at the provider has to know of this server, and which scopes it has to allow. */
export function ToRegister({
  callbackUrl,
  requested = [],
  examples = [],
}: {
  callbackUrl: string | undefined;
  requested?: readonly string[] | undefined;
  examples?: readonly string[] | undefined;
}) {
  const texts = useTextsOf(integrationFormTexts);
  return (
    <>
      {callbackUrl !== undefined && <Copied title={texts.callback} text={callbackUrl} />}
      {requested.length > 0 && <Copied title={texts.requestedScopes} text={requested.join(" ")} />}
      {examples.length > 0 && <Copied title={texts.exampleScopes} text={examples.join(" ")} />}
    </>
  );
}

function Copied({ title, text }: { title: string; text: string }) {
  return (
    <div className="to-copy">
      <p className="label">{title}</p>
      <div className="row">
        <code className="grow">{plainText(text, MOST)}</code>
        <CopyButton isSmall text={() => text} />
      </div>
    </div>
  );
}
