import { useTexts } from "../../texts/use-texts.ts";
import { CopyButton } from "../copy-button.tsx";

/** A secret that the server shows this once; nothing keeps it but the page that shows it. */
export function SecretOnce({ label, secret }: { label: string; secret: string }) {
  const { tables } = useTexts();
  return (
    <div className="stack">
      <p className="banner warn">{tables.shownOnce}</p>
      <section aria-label={label}>
        <pre className="code">{secret}</pre>
      </section>
      <div className="row">
        <CopyButton text={() => secret} />
      </div>
    </div>
  );
}
