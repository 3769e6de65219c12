import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, DialogTrigger } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { type Needed, type Reason, Scoped } from "../scoped-button.tsx";

/** A button that opens a dialog; without the scope of what it does, or for another reason, it cannot be pressed and says why. */
export function DialogButton({
  label,
  name,
  // The dots say that a dialog follows, which it then is.
  title = label.replace(/ …$/, ""),
  look = "",
  scope,
  reason,
  isDisabled = false,
  isWide = false,
  children,
}: {
  label: string;
  /** For who hears the label alone; it begins with it. */
  name?: string | undefined;
  title?: string;
  look?: "primary" | "danger" | "";
  scope?: Needed;
  reason?: Reason;
  isDisabled?: boolean;
  isWide?: boolean;
  children: (close: () => void) => ReactNode;
}) {
  return (
    <Scoped scope={scope} reason={reason} look={look} label={label} name={name}>
      <DialogTrigger>
        <Button
          className={`button ${look}`.trim()}
          isDisabled={isDisabled}
          {...(name === undefined ? {} : { "aria-label": name })}
        >
          {label}
        </Button>
        <ModalOverlay className="overlay" isDismissable>
          <Modal className={isWide ? "dialog wide" : "dialog"}>
            <Dialog>
              {({ close }) => (
                <>
                  <Heading slot="title">{title}</Heading>
                  {children(close)}
                </>
              )}
            </Dialog>
          </Modal>
        </ModalOverlay>
      </DialogTrigger>
    </Scoped>
  );
}
