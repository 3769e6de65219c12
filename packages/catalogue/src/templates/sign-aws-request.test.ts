import { expect, test } from "vitest";
import { signAwsRequest } from "./sign-aws-request.ts";

// The example keys and time of AWS's own test suite for Signature Version 4.
const keys = ["AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service"];
const now = new Date("2015-08-30T12:36:00Z");
const request = {
  method: "GET",
  host: "example.amazonaws.com",
  path: "/",
  query: "",
  body: "",
};

test.each([
  ["get-vanilla", {}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
  [
    "get-vanilla-query-order-key-case",
    { query: "Param2=value2&Param1=value1" },
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
  [
    "post-vanilla",
    { method: "POST" },
    "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  ],
])("signs %s as AWS does", (_name, changes, signature) => {
  expect(signAwsRequest(keys, { ...request, ...changes }, now)).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  );
});
