import { type ComponentType, useEffect, useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import type { Me } from "../../data/me.ts";
import { setStepUp } from "../../data/people/step-up.ts";
import type { ProofsProps } from "./proofs.tsx";

/** After the screen's own scripts and answers, and before somebody has found the button that needs it. */
const LOAD_AFTER_MS = 1000;

interface Question {
  readonly Proofs: ComponentType<ProofsProps>;
  readonly settle: (proved: boolean) => void;
}

/**
 * Opens by itself when a call needs a fresh proof of who makes it; the call is then repeated. It opens with its fields:
 * what is typed into a dialog that has none yet is lost.
 */
export function StepUpDialog({ me }: { me: Me }) {
  const [question, setQuestion] = useState<Question>();
  useEffect(() => {
    // A failure is one of the call that needs the proof: it loads the fields again, and shows the error.
    const timer = setTimeout(() => void loadProofs().catch(() => undefined), LOAD_AFTER_MS);
    setStepUp(async () => {
      const Proofs = await loadProofs();
      return await new Promise((settle) => setQuestion({ Proofs, settle }));
    });
    return () => {
      clearTimeout(timer);
      setStepUp(undefined);
    };
  }, []);
  if (question === undefined) return null;
  const { Proofs, settle } = question;
  const end = (proved: boolean) => {
    settle(proved);
    setQuestion(undefined);
  };
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={() => end(false)}>
      <Modal className="dialog">
        <Dialog>
          <Proofs ways={me.user.ways} onEnd={end} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

async function loadProofs(): Promise<ComponentType<ProofsProps>> {
  const { Proofs } = await import("./proofs.tsx");
  return Proofs;
}
