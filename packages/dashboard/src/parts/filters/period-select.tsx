import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog } from "react-aria-components/Dialog";
import { Form } from "react-aria-components/Form";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { endOf, type FixedPeriod, isRange, type Period, startOf } from "../../data/ranges.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { formatShortDay } from "../formats.ts";
import { MomentInput, toLocal, toMoment } from "../forms/moment-input.tsx";
import { SingleSelect } from "./single-select.tsx";

const FIXED = "fixed";

/** The time that a list is about: up to now, or between two moments. */
export function PeriodSelect({
  period,
  onChange,
}: {
  period: Period;
  onChange: (period: Period) => void;
}) {
  const { tables } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const choices = Object.entries(tables.ranges).map(([id, text]) => ({ id, text }));
  const isFixed = typeof period !== "string";
  const own = isFixed ? [{ id: FIXED, text: periodText(tables, period) }] : [];
  return (
    <>
      <SingleSelect
        label={tables.range}
        chosen={isFixed ? FIXED : period}
        choices={[...own, ...choices, { id: "other", text: tables.otherRange }]}
        onChange={(word) => {
          if (isRange(word)) onChange(word);
          else setOpen(true);
        }}
      />
      <ModalOverlay className="overlay" isDismissable isOpen={isOpen} onOpenChange={setOpen}>
        <Modal className="dialog">
          <Dialog>
            <Heading slot="title">{tables.otherRangeTitle}</Heading>
            <PeriodForm
              period={period}
              onChoose={(chosen) => {
                setOpen(false);
                onChange(chosen);
              }}
            />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </>
  );
}

/** Begins with what is shown now, as fixed moments: so it can be shared as it is. */
function PeriodForm({
  period,
  onChoose,
}: {
  period: Period;
  onChoose: (period: FixedPeriod) => void;
}) {
  const { tables } = useTexts();
  const [now] = useState(Date.now);
  const [from, setFrom] = useState(() => toLocal(startOf(period, now)));
  const [to, setTo] = useState(() => toLocal(endOf(period) ?? new Date(now).toISOString()));
  const isTurned = from !== "" && to !== "" && new Date(from) >= new Date(to);
  return (
    <Form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onChoose({ from: toMoment(from), to: toMoment(to) });
      }}
    >
      <MomentInput label={tables.from} value={from} onChange={setFrom} />
      <MomentInput label={tables.to} value={to} onChange={setTo} />
      <p className="soft" role="status">
        {isTurned ? tables.turnedRange : tables.otherRangeText}
      </p>
      <div className="row">
        <Button
          className="button primary"
          type="submit"
          isDisabled={isTurned || (from === "" && to === "")}
        >
          {tables.show}
        </Button>
      </div>
    </Form>
  );
}

/** A period in words. */
export function periodText(tables: Texts["tables"], period: Period): string {
  if (typeof period === "string") return tables.ranges[period];
  const { from, to } = period;
  return tables.between(
    from === undefined ? undefined : formatShortDay(from),
    to === undefined ? undefined : formatShortDay(to),
  );
}
