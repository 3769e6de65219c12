import { useEffect, useRef } from "react";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import type { Choice } from "../filters/choice-filter.tsx";
import { keepInView } from "./keep-in-view.ts";

/** The choices of a select, over the page; opens with the chosen one in view. */
export function ChoiceList({ choices }: { choices: readonly Choice[] }) {
  return (
    <Popover className="popover">
      <Choices choices={choices} />
    </Popover>
  );
}

function Choices({ choices }: { choices: readonly Choice[] }) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => keepInView(list.current), []);
  return (
    <ListBox ref={list} className="menu">
      {choices.map(({ id, text }) => (
        <ListBoxItem key={id} id={id} className="menu-item" textValue={text}>
          {text}
        </ListBoxItem>
      ))}
    </ListBox>
  );
}
