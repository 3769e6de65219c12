import { useState } from "react";
import type { FieldTexts } from "./field-texts.ts";
import type { FormField } from "./form-fields.ts";
import { HiddenIcon, ShownIcon, WarningIcon } from "./icons.tsx";

/** One field with its label, help and fault. */
export function FieldInput({
  field,
  texts,
  value,
  fault,
  onChange,
  onLeave,
}: {
  field: FormField;
  texts: FieldTexts;
  value: string;
  fault: string | undefined;
  onChange: (value: string) => void;
  onLeave: () => void;
}) {
  const { id, label, example, required } = field;
  const isThere = example === undefined || field.help?.includes(example) === true;
  const help = [field.help, isThere ? undefined : texts.example(example)]
    .filter((text) => text !== undefined)
    .join(" ");
  const described = [help === "" ? "" : `${id}-help`, fault === undefined ? "" : `${id}-fault`]
    .filter((part) => part !== "")
    .join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {!required && <span className="optional"> ({texts.optional})</span>}
      </label>
      <Control
        field={field}
        texts={texts}
        value={value}
        onChange={onChange}
        shared={{
          id,
          onBlur: onLeave,
          "aria-required": required,
          "aria-invalid": fault !== undefined,
          ...(described === "" ? {} : { "aria-describedby": described }),
        }}
      />
      {fault !== undefined && (
        <p className="fault" id={`${id}-fault`}>
          <WarningIcon />
          <span>{fault}</span>
        </p>
      )}
      {help !== "" && (
        <p className="help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}

interface ControlProps {
  readonly field: FormField;
  readonly texts: FieldTexts;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly shared: {
    readonly id: string;
    readonly onBlur: () => void;
    readonly "aria-required": boolean;
    readonly "aria-invalid": boolean;
    readonly "aria-describedby"?: string;
  };
}

const plain = { autoComplete: "off", autoCapitalize: "none", spellCheck: false } as const;

function Control({ field, texts, value, onChange, shared }: ControlProps) {
  const [isShown, setShown] = useState(false);
  const { choices, label, prefix, suffix, secret } = field;
  if (choices !== undefined) {
    return (
      <select {...shared} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{texts.choose}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (field.multiline) {
    return (
      <textarea
        {...shared}
        {...plain}
        rows={5}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  const toggle = isShown ? texts.hide(label) : texts.show(label);
  return (
    <div className="box">
      {prefix !== "" && <span className="affix">{prefix}</span>}
      <input
        {...shared}
        {...plain}
        type={secret && !isShown ? "password" : "text"}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {suffix !== "" && <span className="affix">{suffix}</span>}
      {secret && (
        <button
          type="button"
          className="eye"
          aria-label={toggle}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <HiddenIcon /> : <ShownIcon />}
        </button>
      )}
    </div>
  );
}
