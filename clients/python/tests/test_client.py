"""What needs no platform: `python3 -m unittest discover -s tests` in this package's folder."""

import asyncio
import base64
import hashlib
import hmac
import inspect
import json
import os
import re
import sys
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FOLDER / "src"))

from jackfield import AsyncJackfield, Jackfield, JackfieldError, verify_webhook  # noqa: E402

KEY = "whsec_" + base64.b64encode(b"k" * 32).decode()
BODY = '{"type":"auth","name":"Zoë"}'.encode()


def signed(body=BODY, at=None, key=KEY):
    when = str(int(time.time() if at is None else at))
    secret = base64.b64decode(key[len("whsec_") :])
    digest = hmac.new(secret, f"msg_1.{when}.".encode() + body, hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(digest).decode()
    return {"Webhook-Id": "msg_1", "Webhook-Timestamp": when, "Webhook-Signature": signature}


class Webhooks(unittest.TestCase):
    def refused(self, code, *given, **options):
        with self.assertRaises(JackfieldError) as caught:
            verify_webhook(*given, **options)
        self.assertEqual(caught.exception.code, code)
        return caught.exception.message

    def test_the_event_comes_of_what_is_signed(self):
        other = "whsec_" + base64.b64encode(b"o" * 32).decode()
        for body in (BODY, BODY.decode(), bytearray(BODY), memoryview(BODY)):
            self.assertEqual(verify_webhook(body, signed(), KEY)["type"], "auth")
        self.assertEqual(verify_webhook(BODY, signed(), [other, KEY])["type"], "auth")
        both = signed(key=other)
        both["Webhook-Signature"] += " " + signed()["Webhook-Signature"]
        self.assertEqual(verify_webhook(BODY, both, KEY)["type"], "auth")

    def test_everything_else_is_refused_with_the_reason(self):
        now = time.time()
        self.refused("webhook_signature_mismatch", BODY + b" ", signed(), KEY)
        self.refused("webhook_timestamp_invalid", BODY, signed(at=now - 400), KEY)
        self.refused("webhook_timestamp_invalid", BODY, signed(at=now + 400), KEY)
        for when in ("x", "nan", "-1", "", "1e9"):
            code = "webhook_timestamp_invalid" if when else "webhook_header_missing"
            self.refused(code, BODY, {**signed(), "Webhook-Timestamp": when}, KEY)
        self.refused("webhook_key_invalid", BODY, signed(), "whsec_%")
        self.refused("webhook_body_parsed", json.loads(BODY), signed(), KEY)
        self.refused("webhook_body_invalid", b"no", signed(b"no"), KEY)
        broken = {**signed(), "Webhook-Signature": "v1,%%% v2,abc v1"}
        self.refused("webhook_signature_mismatch", BODY, broken, KEY)
        self.assertIn("webhook-id", self.refused("webhook_header_missing", BODY, {}, KEY))

    def test_a_signature_without_a_time_counts_only_where_the_caller_says_so(self):
        digest = hmac.new(KEY.encode(), BODY, hashlib.sha256).hexdigest()
        older = {"X-Svc-Hmac-Sha256": digest}
        words = self.refused("webhook_header_missing", BODY, older, KEY)
        self.assertIn("allow_without_timestamp", words)
        event = verify_webhook(BODY, older, KEY, allow_without_timestamp=True)
        self.assertEqual(event["type"], "auth")
        for wrong in (digest[2:], "é" * 64, digest[:-1] + "g"):
            headers = {"X-Svc-Hmac-Sha256": wrong}
            options = {"allow_without_timestamp": True}
            self.refused("webhook_signature_mismatch", BODY, headers, KEY, **options)


class Platform(BaseHTTPRequestHandler):
    answers = []
    seen = []

    def answer(self):
        length = int(self.headers.get("content-length") or 0)
        type(self).seen.append((self.command, self.path, self.headers, self.rfile.read(length)))
        status, headers, body = type(self).answers.pop(0)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, *_args):
        pass


class Calls(unittest.TestCase):
    def setUp(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Platform)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.host = f"http://127.0.0.1:{self.server.server_port}"
        self.client = Jackfield("key", host=f"{self.host}/")
        Platform.answers, Platform.seen = [], []

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, *answers):
        Platform.answers = [
            (status, headers, json.dumps(body).encode()) for status, headers, body in answers
        ]

    def test_reads_are_repeated_and_changes_only_with_a_key(self):
        busy = (503, {"retry-after": "0"}, {})
        self.answer(busy, busy, (200, {}, {"data": []}))
        self.assertEqual(self.client.list_integrations(), [])
        self.answer(busy)
        with self.assertRaises(JackfieldError):
            self.client.create_connect_session()
        self.answer(busy, (200, {}, {"data": {"token": "t"}}))
        self.client.create_connect_session(idempotency_key="k", tags={"a": "b"})

        self.assertEqual(len(Platform.seen), 6)
        _, path, headers, body = Platform.seen[-1]
        self.assertEqual((path, headers["idempotency-key"]), ("/connect/sessions", "k"))
        self.assertEqual(json.loads(body), {"tags": {"a": "b"}})

    def test_errors_have_what_the_platform_says(self):
        errors = [{"path": ["limit"]}]
        error = {"code": "invalid_query_params", "message": "No.", "errors": errors}
        self.answer((400, {}, {"error": error}))
        with self.assertRaises(JackfieldError) as caught:
            self.client.list_connections(tags={"end_user_id": "u 1"}, limit=-1)

        raised = caught.exception
        self.assertEqual((raised.code, raised.status), ("invalid_query_params", 400))
        self.assertEqual((raised.message, raised.errors), ("No.", errors))
        self.assertEqual(Platform.seen[0][1], "/connections?tags%5Bend_user_id%5D=u+1&limit=-1")

    def test_a_redirect_is_no_way_to_get_the_key(self):
        self.answer((307, {"location": f"{self.host}/elsewhere"}, {}))
        with self.assertRaises(JackfieldError):
            self.client.list_integrations()
        self.assertEqual(len(Platform.seen), 1)

    def test_a_provider_that_refuses_is_distinguished_from_a_platform_that_does(self):
        own = {"svc-error-source": "platform"}
        self.answer((422, {}, {"why": 1}), (502, own, {"error": {"code": "upstream_unreachable"}}))
        target = {"provider_config_key": "crm", "connection_id": "c"}
        with self.assertRaises(JackfieldError) as theirs:
            self.client.post("x", data={"a": 1}, headers={"X-Own": "1"}, **target)
        with self.assertRaises(JackfieldError) as ours:
            self.client.post("x", **target)

        self.assertEqual(theirs.exception.code, "provider_error")
        self.assertEqual(theirs.exception.response.data, {"why": 1})
        self.assertEqual(ours.exception.code, "upstream_unreachable")
        self.assertEqual(Platform.seen[0][2]["svc-proxy-x-own"], "1")

    def test_ids_are_no_steps_of_a_path(self):
        for name in ("", ".", ".."):
            with self.assertRaises(JackfieldError):
                self.client.get_connection("crm", name)
        self.answer((200, {}, {}))
        self.client.get_connection("crm", "a/../b")
        self.assertTrue(Platform.seen[0][1].startswith("/connections/a%2F..%2Fb?"))

    def test_an_unreachable_platform_is_reported_with_its_cause(self):
        with self.assertRaises(JackfieldError) as caught:
            Jackfield("key", host="http://127.0.0.1:1").request("POST", "/x")
        self.assertEqual(caught.exception.code, "network_error")
        self.assertIn("refused", str(caught.exception).lower())
        self.assertIsInstance(caught.exception.__cause__, OSError)

    def test_calls_of_asyncio_wait_beside_each_other(self):
        self.answer(*[(200, {}, {"data": []})] * 3)
        client = AsyncJackfield("key", host=self.host)

        async def read():
            return await asyncio.gather(*[client.list_integrations() for _ in range(3)])

        self.assertEqual(asyncio.run(read()), [[], [], []])


class Record:
    """Answers everything; each kind of answer that a method looks into is there."""

    def __init__(self):
        self.calls = []

    def send(self, request):
        from jackfield.transport import Response

        self.calls.append((request.method, re.sub(r"^https?://[^/]+", "", request.url)))
        data = {"state": "success"}
        body = {"data": data, "records": [], "next_cursor": None, "metadata": {}}
        body["credentials"] = {"token": "t"}
        return Response(200, [("content-type", "application/json")], json.dumps(body).encode())


def list_calls():
    """The method and path of what each public method sends, for comparison with the API."""
    client = Jackfield("key")
    client._transport = record = Record()
    for name, method in inspect.getmembers(client, inspect.ismethod):
        if name.startswith("_") or name in ("verify_webhook", "request"):
            continue
        needed = [
            parameter
            for parameter in inspect.signature(method).parameters.values()
            if parameter.default is parameter.empty
            and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        ]
        given = {parameter.name: "GET" if parameter.name == "method" else "x" for parameter in needed}
        if name in ("get", "post", "put", "patch", "delete"):
            given.update(provider_config_key="x", connection_id="x")
        result = method(**given)
        if inspect.isgenerator(result):
            list(result)
    return record.calls


class Both(unittest.TestCase):
    def test_the_client_for_asyncio_has_the_same_methods(self):
        def shape(kind):
            members = inspect.getmembers(kind, inspect.isfunction)
            return {name: list(inspect.signature(member).parameters) for name, member in members}

        self.assertEqual(shape(Jackfield), shape(AsyncJackfield))


if __name__ == "__main__":
    if os.environ.get("LIST_CALLS"):
        print(json.dumps(list_calls()))
    else:
        unittest.main()
