import { BackIcon, CloseIcon } from "@jackfield/ui/icons.tsx";
import type { ReactNode } from "react";
import type { App } from "../platform.ts";
import { useTexts } from "../texts/use-texts.tsx";

/** The card around every view, with the ways back and out. */
export function Card({
  onBack,
  onClose,
  watermark,
  app,
  isWide = false,
  children,
}: {
  onBack?: (() => void) | undefined;
  onClose?: (() => void) | undefined;
  watermark: boolean;
  app: App | undefined;
  isWide?: boolean;
  children: ReactNode;
}) {
  const texts = useTexts();
  return (
    <main className={isWide ? "card wide" : "card"}>
      <div className="bar">
        {onBack && (
          <button type="button" className="round" aria-label={texts.back} onClick={onBack}>
            <BackIcon />
          </button>
        )}
        <span className="space">
          {app !== undefined && (
            <span className="app">
              {app.logo !== null && <img src={app.logo} alt="" />}
              {app.name}
            </span>
          )}
        </span>
        {onClose && (
          <button type="button" className="round" aria-label={texts.close} onClick={onClose}>
            <CloseIcon />
          </button>
        )}
      </div>
      <div className="content">{children}</div>
      {watermark && <p className="watermark">{texts.poweredBy}</p>}
    </main>
  );
}
