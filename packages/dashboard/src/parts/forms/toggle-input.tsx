import { Switch } from "react-aria-components/Switch";

/** A field of a form that is on or off. */
export function ToggleInput({
  name,
  label,
  initial,
}: {
  name: string;
  label: string;
  initial: boolean;
}) {
  return (
    <Switch className="choice toggle" name={name} defaultSelected={initial} value="on">
      {label}
    </Switch>
  );
}

/** Whether a form's toggle was on. */
export function isOn(form: FormData, name: string): boolean {
  return form.get(name) === "on";
}
