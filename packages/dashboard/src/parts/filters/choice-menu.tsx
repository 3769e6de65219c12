import { useEffect, useRef } from "react";
import { Menu, type MenuProps } from "react-aria-components/Menu";
import { keepInView } from "../forms/keep-in-view.ts";

/** A menu to choose from; opens with what is chosen in view. */
export function ChoiceMenu(props: MenuProps<object>) {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => keepInView(menu.current), []);
  return <Menu {...props} ref={menu} className="menu" />;
}
