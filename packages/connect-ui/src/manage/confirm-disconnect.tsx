import { useEffect, useId, useRef } from "react";
import { useTexts } from "../texts/use-texts.tsx";
import type { ListedConnection } from "./listed-connection.ts";

/** Says what goes with a connection before it goes. */
export function ConfirmDisconnect({
  connection,
  onCancel,
  onConfirm,
}: {
  connection: ListedConnection;
  onCancel: () => void;
  onConfirm: () => void;
}) {
  const texts = useTexts();
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const { account, display_name: name, withdrawable } = connection;
  return (
    <dialog ref={dialog} className="confirm" aria-labelledby={titleId} onClose={onCancel}>
      <h2 id={titleId}>{texts.disconnectTitle(name)}</h2>
      {account !== null && <p className="detail">{account}</p>}
      <p>{texts.disconnectText(name)}</p>
      <p>{withdrawable ? texts.withdrawn(name) : texts.notWithdrawn(name)}</p>
      <div className="buttons">
        <button type="button" className="primary danger" onClick={onConfirm}>
          {texts.disconnect}
        </button>
        <button type="button" className="secondary" onClick={onCancel}>
          {texts.cancel}
        </button>
      </div>
    </dialog>
  );
}
