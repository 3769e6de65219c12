import type { AnswerOf } from "../../../data/api.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { formatMoment } from "../../../parts/formats.ts";
import { useTexts } from "../../../texts/use-texts.ts";

/** A connect link: it holds a token, so it is shown only to who made it. */
export function LinkResult({ session }: { session: AnswerOf<"createConnectSession">["data"] }) {
  const { connections: texts } = useTexts();
  const { connect_link: link, expires_at: expiresAt } = session;
  return (
    <>
      <p>{texts.linkFor(formatMoment(expiresAt))}</p>
      <pre className="code">{link}</pre>
      <div className="row">
        <CopyButton text={() => link} />
        <a className="button" href={link} target="_blank" rel="noreferrer noopener">
          {texts.openLink}
        </a>
      </div>
    </>
  );
}
