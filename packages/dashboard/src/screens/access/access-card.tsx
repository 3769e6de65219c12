import { type ReactNode, useEffect } from "react";
import { useTexts } from "../../texts/use-texts.ts";

/** The frame of pages for people who have not signed in. */
export function AccessCard({ title, children }: { title: string; children: ReactNode }) {
  const { shell: texts } = useTexts();
  useEffect(() => {
    document.title = `${title} · Jackfield`;
  }, [title]);
  return (
    <main className="access">
      <div className="card padded">
        <p className="soft">{texts.product}</p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
