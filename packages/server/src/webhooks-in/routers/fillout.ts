import type { Router } from "../match/router.ts";
import { matches, singleEvent, texts } from "../match/router-kit.ts";

export const fillout: Router = {
  read: singleEvent((body, { query }) => ({
    types: texts(body["type"], "*"),
    match: matches(
      ["connectionId", query["svcConnectionId"]],
      ["metadata.formId", body["formId"]],
      ["metadata.formIds", body["formId"]],
    ),
  })),
};
