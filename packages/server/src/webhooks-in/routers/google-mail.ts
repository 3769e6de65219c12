import { type Router, UnreadableWebhook } from "../match/router.ts";
import {
  at,
  isObject,
  matches,
  readJson,
  readObject,
  texts,
  webhookSecret,
} from "../match/router-kit.ts";
import { emailAddressHash } from "../receive/email-address-hash.ts";
import { isGoogleToken } from "../receive/google-token.ts";

/**
 * Push of a message topic: an envelope around base64 JSON with `emailAddress` and `historyId`; with push
 * authentication, a token signed by Google whose audience is our address; `webhook_secret` names the service account
 * that it has to be of. Source: Google docs, "Push notifications", "Authentication for push subscriptions".
 */
export const googleMail: Router = {
  matchesOn: ["emailAddressHash"],
  proof: {
    keyless: true,
    secret: webhookSecret,
    isSigned: ({ headers }) => "authorization" in headers,
    isGenuine: isGoogleToken,
  },
  read: (request) => {
    const payload = readObject(request);
    const [data] = texts(at(payload, "message", "data"));
    if (data === undefined) throw new UnreadableWebhook("`message.data` is missing");
    const notice = readJson({ ...request, body: Buffer.from(data, "base64") });
    const [address] = isObject(notice) ? texts(notice["emailAddress"]) : [];
    if (address === undefined) throw new UnreadableWebhook("`message.data` names no emailAddress");
    return [
      {
        payload,
        types: ["*"],
        id: texts(at(payload, "message", "messageId"), at(payload, "message", "message_id"))[0],
        match: matches(
          ["config.emailAddressHash", emailAddressHash(address)],
          ["metadata.emailAddress", address],
          ["metadata.email", address],
        ),
      },
    ];
  },
};
