import { expect, test } from "vitest";
import type { ListedRecord } from "./list-records.ts";
import { presentRecords } from "./present-records.ts";

test("the metadata stands under each key that it is asked under", () => {
  const listed = {
    row: { id: "1", firstSeenAt: "a", lastModifiedAt: "b", action: "ADDED", deletedAt: null },
    line: Buffer.from('{"id":"1","name":"A"}'),
    cursor: "c",
  };
  const page = { records: [asListed(listed)], nextCursor: undefined };

  const { records } = JSON.parse(
    presentRecords(page, ["_svc_metadata", "_acme_metadata"]).toString(),
  );

  expect(records[0]).toMatchObject({ id: "1", name: "A", _svc_metadata: { cursor: "c" } });
  expect(records[0]._acme_metadata).toEqual(records[0]._svc_metadata);
});

// Only what the presentation reads.
function asListed(record: object): ListedRecord {
  return record as ListedRecord;
}
