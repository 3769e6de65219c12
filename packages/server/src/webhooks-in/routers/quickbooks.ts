import type { InboundEvent, Router } from "../match/router.ts";
import {
  at,
  hmacProof,
  type JsonObject,
  matches,
  objectsIn,
  readJson,
  texts,
  textsIn,
} from "../match/router-kit.ts";

/** A list of CloudEvents since 2026; before, notices with one entry for each company. Source: Intuit docs, "Webhooks". */
export const quickbooks: Router = {
  proof: hmacProof({ header: "intuit-signature", encoding: "base64" }),
  matchesOn: ["realmId"],
  read: (request) => {
    const body = readJson(request);
    if (Array.isArray(body)) return objectsIn(body).map(readCloudEvent);
    return objectsIn(at(body, "eventNotifications") ?? []).map(readNotice);
  },
};

function readCloudEvent(payload: JsonObject): InboundEvent {
  return {
    payload,
    types: texts(payload["type"]),
    id: texts(payload["id"])[0],
    match: matches(["config.realmId", payload["intuitaccountid"]]),
  };
}

function readNotice(payload: JsonObject): InboundEvent {
  const entities = objectsIn(at(payload, "dataChangeEvent", "entities") ?? []);
  return {
    payload,
    types: textsIn(entities, (entity) => at(entity, "name")),
    match: matches(["config.realmId", payload["realmId"]]),
  };
}
