import { useId } from "react";
import { Switch } from "react-aria-components/Switch";

/** A field of a form that is on or off. */
export function ToggleInput({
  name,
  label,
  help,
  initial,
}: {
  name: string;
  label: string;
  help?: string | undefined;
  initial: boolean;
}) {
  const id = useId();
  const isExplained = help !== undefined;
  return (
    <>
      <Switch
        className="choice toggle"
        name={name}
        defaultSelected={initial}
        value="on"
        {...(isExplained ? { "aria-describedby": id } : {})}
      >
        {label}
      </Switch>
      {isExplained && (
        <p className="help" id={id}>
          {help}
        </p>
      )}
    </>
  );
}

/** Whether a form's toggle was on. */
export function isOn(form: FormData, name: string): boolean {
  return form.get(name) === "on";
}
