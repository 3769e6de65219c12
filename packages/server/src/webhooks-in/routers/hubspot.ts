import { createHash, createHmac } from "node:crypto";
import type { Router } from "../match/router.ts";
import {
  clientSecret,
  idOf,
  isRecent,
  isSame,
  matches,
  readObjects,
  texts,
} from "../match/router-kit.ts";

/** Version 3 signs the address with these marks as they are, however they were sent. */
function decodeMarks(url: string): string {
  return url.replace(/%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, (code) =>
    decodeURIComponent(code),
  );
}

/**
 * Version 3 signs method, address, body and time; versions 2 and 1 hash the client's secret with them.
 * Source: HubSpot docs, "Validating requests".
 */
export const hubspot: Router = {
  matchesOn: ["portalId"],
  proof: {
    required: true,
    secret: clientSecret,
    isSigned: ({ headers }) =>
      "x-hubspot-signature-v3" in headers || "x-hubspot-signature" in headers,
    isGenuine: ({ method, url, headers, body }, secret, { now }) => {
      const third = headers["x-hubspot-signature-v3"];
      if (third !== undefined) {
        const time = headers["x-hubspot-request-timestamp"] ?? "";
        if (time === "" || !isRecent(Number(time) / 1000, now)) return false;
        const hmac = createHmac("sha256", secret).update(`${method}${decodeMarks(url)}`);
        return isSame(hmac.update(body).update(time).digest("base64"), third);
      }
      const isSecond = headers["x-hubspot-signature-version"] === "v2";
      const hash = createHash("sha256").update(isSecond ? `${secret}${method}${url}` : secret);
      return isSame(hash.update(body).digest("hex"), headers["x-hubspot-signature"] ?? "");
    },
  },
  read: (request) =>
    readObjects(request)
      .filter((event) => event["changeSource"] !== "IMPORT")
      .map((payload) => ({
        payload,
        types: texts(payload["subscriptionType"]),
        // An event's number alone is not promised to be unique.
        id: idOf("-", payload["subscriptionId"], payload["eventId"], payload["occurredAt"]),
        match: matches(["config.portalId", payload["portalId"]]),
      })),
};
