import { lazy, Suspense, useEffect, useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import type { Me } from "../../data/me.ts";
import { setStepUp } from "../../data/people/step-up.ts";

const Proofs = lazy(async () => await import("./proofs.tsx"));

/** Opens by itself when a call needs a fresh proof of who makes it; the call is then repeated. */
export function StepUpDialog({ me }: { me: Me }) {
  const [settle, setSettle] = useState<(proved: boolean) => void>();
  useEffect(() => {
    setStepUp(async () => await new Promise((resolve) => setSettle(() => resolve)));
    return () => setStepUp(undefined);
  }, []);
  if (settle === undefined) return null;
  const end = (proved: boolean) => {
    settle(proved);
    setSettle(undefined);
  };
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={() => end(false)}>
      <Modal className="dialog">
        <Dialog>
          <Suspense>
            <Proofs ways={me.user.ways} onEnd={end} />
          </Suspense>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
