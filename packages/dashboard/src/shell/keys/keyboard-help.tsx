import { Button } from "react-aria-components/Button";
import { Dialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { keyboardTexts } from "../../texts/screens/shell/keyboard.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";

/** All keys, in one list. */
export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const { shell: texts } = useTexts();
  const { keys } = useTextsOf(keyboardTexts);
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="dialog">
        <Dialog>
          <Heading slot="title">{texts.help}</Heading>
          <dl className="keys">
            {keys.map(([keys, text]) => (
              <div key={keys}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
          <div className="row">
            <Button className="button" onPress={onClose}>
              {texts.close}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
