import type { ListedRecord } from "../reading/list-records.ts";
import { joinRecords } from "../reading/present-records.ts";
import type { ModelId } from "../store.ts";
import type { FeedPosition } from "./feed-cursor.ts";
import { type FeedStep, positionWithin } from "./read-feed.ts";
import type { NamedEntry } from "./store.ts";

/** How events of a feed are written: as lines of JSON, or as server-sent events. */
export interface FeedForm {
  readonly contentType: string;
  head(type: string, cursor: string): string;
  readonly tail: string;
  heartbeat(cursor: string): string;
}

export const feedAsLines: FeedForm = {
  contentType: "application/x-ndjson; charset=utf-8",
  head: () => "",
  tail: "\n",
  heartbeat: (cursor) => `${JSON.stringify({ type: "heartbeat", cursor })}\n`,
};

export const feedAsEvents: FeedForm = {
  contentType: "text/event-stream; charset=utf-8",
  head: (type, cursor) => `id: ${cursor}\nevent: ${type}\ndata: `,
  tail: "\n\n",
  // Without data no listener is called; the client remembers the id.
  heartbeat: (cursor) => `id: ${cursor}\n\n`,
};

export interface FeedPresenter {
  step(step: FeedStep): Buffer;
  heartbeat(at: FeedPosition): string;
  end(at: FeedPosition): string;
}

/** Writes the steps of a feed; `spell` names all the spellings of a key. */
export function createFeedPresenter(
  form: FeedForm,
  {
    spell,
    write,
    sourceOf,
  }: {
    spell: (name: string) => readonly string[];
    write: (at: FeedPosition) => string;
    sourceOf: (model: ModelId) => string;
  },
): FeedPresenter {
  const metadataKeys = spell("_svc_metadata");
  const event = (type: string, at: FeedPosition, fields = ""): string => {
    const cursor = write(at);
    return `${form.head(type, cursor)}{"type":"${type}","cursor":"${cursor}"${fields}`;
  };
  return {
    step(step) {
      const { entry } = step;
      const source = presentSource(entry, sourceOf(entry.id));
      if (step.kind === "removed") {
        return Buffer.from(`${event("removed", step.at, source)}}${form.tail}`, "latin1");
      }
      const before = ({ row }: ListedRecord) =>
        `${event("record", positionWithin(entry, row.sequence), source)},"record":`;
      const lines = { head: "", between: "", before, after: `}${form.tail}`, tail: () => "" };
      return joinRecords(step.records, { form: lines, head: "", tail: "", metadataKeys });
    },
    heartbeat: (at) => form.heartbeat(write(at)),
    end: (at) => `${event("end", at)}}${form.tail}`,
  };
}

function presentSource(
  { integrationKey, connectionId, model: stored }: NamedEntry,
  source: string,
): string {
  const [model = stored, variant = "base"] = stored.split("::");
  const fields = {
    source,
    provider_config_key: integrationKey,
    connection_id: connectionId,
    model,
    variant,
  };
  return `,${toAscii(JSON.stringify(fields)).slice(1, -1)}`;
}

/** JSON may name every character by its number. */
function toAscii(json: string): string {
  return json.replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
