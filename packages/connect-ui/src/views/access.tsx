import { useId } from "react";
import { isWebPage } from "../load-page.ts";
import type { App } from "../platform.ts";
import { useTexts } from "../use-texts.ts";

/** What the provider will be asked for, before the person goes there. */
export function AccessList({ app, scopes }: { app: App | undefined; scopes: readonly string[] }) {
  const texts = useTexts();
  const titleId = useId();
  if (scopes.length === 0) return null;
  return (
    <section className="access" aria-labelledby={titleId}>
      <h2 id={titleId}>{texts.accessTitle(app?.name ?? null)}</h2>
      <ul>
        {scopes.map((scope) => {
          const words = texts.scopes.get(scope);
          return <li key={scope}>{words ?? <code>{scope}</code>}</li>;
        })}
      </ul>
    </section>
  );
}

/** The app's own pages about what it does with the access. */
export function AppTerms({ app }: { app: App | undefined }) {
  const texts = useTexts();
  if (app === undefined) return null;
  const pages = [
    { text: texts.terms, address: app.termsUrl ?? undefined },
    { text: texts.privacy, address: app.privacyUrl ?? undefined },
  ].filter(({ address }) => isWebPage(address));
  if (pages.length === 0) return null;
  return (
    <p className="terms">
      {app.name !== null && <span>{app.name}</span>}
      {pages.map(({ text, address }) => (
        <a key={text} href={address} target="_blank" rel="noopener noreferrer">
          {text}
          <span className="hidden"> ({texts.helpInNewTab})</span>
        </a>
      ))}
    </p>
  );
}
