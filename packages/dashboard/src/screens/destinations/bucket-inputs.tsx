import type { NewDestination } from "../../data/records/destinations.ts";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { destinationTexts } from "../../texts/screens/destinations.ts";
import { useTextsOf } from "../../texts/use-texts.ts";

/** Where a bucket is, and who signs in there. */
export function BucketInputs() {
  const texts = useTextsOf(destinationTexts);
  const plain = { autoComplete: "off" } as const;
  return (
    <>
      <div className="halves">
        <TextInput {...plain} label={texts.bucket} name="bucket" help={texts.bucketHelp} />
        <TextInput {...plain} label={texts.region} name="region" help={texts.regionHelp} />
      </div>
      <div className="halves">
        <TextInput
          {...plain}
          isOptional
          label={texts.endpoint}
          name="endpoint"
          help={texts.endpointHelp}
        />
        <TextInput
          {...plain}
          label={texts.prefix}
          name="prefix"
          initial="jackfield"
          help={texts.prefixHelp}
        />
      </div>
      <div className="halves">
        <TextInput {...plain} label={texts.accessKeyId} name="access_key_id" help={texts.keyHelp} />
        <TextInput
          {...plain}
          label={texts.secretAccessKey}
          name="secret_access_key"
          type="password"
          help={texts.secretHelp}
        />
      </div>
      <ChoiceInput
        label={texts.format}
        name="format"
        initial="parquet"
        choices={[
          { id: "parquet", text: texts.formats.parquet },
          { id: "ndjson", text: texts.formats.ndjson },
        ]}
      />
    </>
  );
}

export function bucketOf(form: FormData) {
  const textOf = (name: string) => String(form.get(name) ?? "").trim();
  const [endpoint, prefix] = [textOf("endpoint"), textOf("prefix")];
  const format: Extract<NewDestination, { type: "s3" }>["format"] =
    textOf("format") === "ndjson" ? "ndjson" : "parquet";
  return {
    type: "s3" as const,
    bucket: textOf("bucket"),
    region: textOf("region"),
    format,
    access_key_id: textOf("access_key_id"),
    secret_access_key: textOf("secret_access_key"),
    ...(endpoint === "" ? {} : { endpoint }),
    ...(prefix === "" ? {} : { prefix }),
  };
}
