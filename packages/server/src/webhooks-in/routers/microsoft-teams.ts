import type { Router } from "../router.ts";
import { at, matches, singleEvent, texts } from "../router-kit.ts";

export const microsoftTeams: Router = {
  matchesOn: ["tenantId"],
  read: singleEvent((body) => ({
    types: texts(body["type"]),
    id: texts(body["id"])[0],
    match: matches(["config.tenantId", at(body, "channelData", "tenant", "id")]),
  })),
};
