import type { Router } from "../match/router.ts";
import { at, matches, singleEvent, texts } from "../match/router-kit.ts";

export const microsoftTeams: Router = {
  matchesOn: ["tenantId"],
  read: singleEvent((body) => ({
    types: texts(body["type"]),
    id: texts(body["id"])[0],
    match: matches(["config.tenantId", at(body, "channelData", "tenant", "id")]),
  })),
};
