import type { Proof, Router } from "../match/router.ts";
import { matches, texts, tokenProof, webhookSecret } from "../match/router-kit.ts";
import { emailAddressHash } from "../receive/email-address-hash.ts";
import { channelEventId, channelField } from "../receive/google-channel.ts";

/** The address in `…/calendars/<id>/events`, where the calendar is somebody's own. */
function addressIn(uri: string | undefined): string | undefined {
  const id = uri && /\/calendars\/([^/?]+)/.exec(uri)?.[1];
  if (!id || !URL.canParse(`http://calendar/${id}`)) return undefined;
  const text = decodeURIComponent(id.replace(/%(?![0-9a-f]{2})/gi, "%25"));
  return text.includes("@") ? text : undefined;
}

const PLAIN = tokenProof({ header: "x-goog-channel-token" });
const NEUTRAL = tokenProof({ header: "x-cal-channel-token" });

/** The channel's token, where the customer gave the channel one. */
export const channelToken: Proof = {
  secret: webhookSecret,
  isSigned: (request) => channelField(request, "channel-token") !== undefined,
  isGenuine: (request, secret, tools) =>
    (PLAIN.isSigned(request) ? PLAIN : NEUTRAL).isGenuine(request, secret, tools),
};

/** Headers only; those are what is forwarded. */
export const googleCalendar: Router = {
  matchesOn: ["emailAddressHash"],
  proof: channelToken,
  readsHeaders: true,
  read: (request) => {
    const uri = channelField(request, "resource-uri");
    const address = addressIn(uri);
    return [
      {
        payload: request.headers,
        types: texts(channelField(request, "resource-state")),
        id: channelEventId(request),
        match: matches(
          ["metadata.calendarWatchResourceUris", uri],
          ["config.emailAddressHash", address && emailAddressHash(address)],
          ["metadata.emailAddress", address],
          ["metadata.email", address],
        ),
      },
    ];
  },
};
