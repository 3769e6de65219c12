import { createPublicKey, verify } from "node:crypto";
import type { Router } from "../match/router.ts";
import { at, matches, readObject, singleEvent, texts, webhookSecret } from "../match/router-kit.ts";

// RFC 8410: what comes before the 32 bytes of an Ed25519 key in DER.
const ED25519_HEAD = "302a300506032b6570032100";
const PING = { interaction: 1, event: 0 };

/** The application's public key is in `webhook_secret`. Source: Discord docs, "Webhook events", "Interactions". */
export const discord: Router = {
  matchesOn: ["guild.id"],
  proof: {
    required: true,
    secret: webhookSecret,
    isSigned: ({ headers }) => "x-signature-ed25519" in headers,
    isGenuine: ({ headers, body }, secret) => {
      const given = headers["x-signature-ed25519"] ?? "";
      if (!/^[0-9a-f]{128}$/i.test(given) || !/^[0-9a-f]{64}$/i.test(secret)) return false;
      const signature = Buffer.from(given, "hex");
      const der = Buffer.from(`${ED25519_HEAD}${secret}`, "hex");
      const key = createPublicKey({ key: der, format: "der", type: "spki" });
      const content = Buffer.concat([Buffer.from(headers["x-signature-timestamp"] ?? ""), body]);
      return verify(null, content, key, signature);
    },
  },
  handshakeIsSigned: true,
  handshake: (request) => {
    const { type, event } = readObject(request);
    if (event !== undefined) return undefined;
    if (type === PING.event) return { status: 204, body: "" };
    if (type !== PING.interaction) return undefined;
    return { status: 200, contentType: "application/json", body: JSON.stringify({ type }) };
  },
  read: singleEvent((body) => ({
    types: texts(at(body, "event", "type"), at(body, "data", "name"), body["type"]),
    id: texts(body["id"])[0],
    match: matches(
      ["config.guild.id", body["guild_id"] ?? at(body, "event", "data", "guild", "id")],
      ["metadata.guildIds", body["guild_id"] ?? at(body, "event", "data", "guild", "id")],
    ),
  })),
};
