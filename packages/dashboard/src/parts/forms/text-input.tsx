import { FieldError } from "react-aria-components/FieldError";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import { TextField } from "react-aria-components/TextField";

/** A field of a form that a browser may fill in. */
export function TextInput({
  label,
  name,
  type = "text",
  autoComplete,
  help,
  fault,
  autoFocus = false,
  isOptional = false,
  isNumber = false,
  initial,
  value,
  onChange,
}: {
  label: string;
  name: string;
  type?: "text" | "email" | "password";
  autoComplete: string;
  help?: string;
  fault?: string | undefined;
  autoFocus?: boolean;
  isOptional?: boolean;
  isNumber?: boolean;
  initial?: string;
  /** For forms that are read as they are typed. */
  value?: string;
  onChange?: (text: string) => void;
}) {
  return (
    <TextField
      className="text-field"
      name={name}
      type={type}
      isRequired={!isOptional}
      {...(initial === undefined ? {} : { defaultValue: initial })}
      {...(value === undefined ? {} : { value })}
      {...(onChange === undefined ? {} : { onChange })}
      {...(isNumber ? { inputMode: "numeric" as const } : {})}
      autoComplete={autoComplete}
      autoFocus={autoFocus}
      {...(fault === undefined ? {} : { isInvalid: true })}
      validationBehavior="aria"
    >
      <Label className="label">{label}</Label>
      <Input className="input" />
      {help !== undefined && (
        <Text slot="description" className="help">
          {help}
        </Text>
      )}
      <FieldError className="fault">{fault}</FieldError>
    </TextField>
  );
}
