"""Walks a running platform with both clients; prints what it saw as JSON.

Arguments: address, API key, signing key, address of the provider that the integration calls.
"""

import asyncio
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from jackfield import AsyncJackfield, Jackfield, JackfieldError  # noqa: E402

HOST, KEY, SIGNING_KEY, PROVIDER = sys.argv[1:5]
TARGET = {"provider_config_key": "py", "connection_id": "acme"}


def code_of(call, *args, **options):
    try:
        call(*args, **options)
    except JackfieldError as error:
        return [error.code, error.status, error.message]
    return None


def walk():
    client = Jackfield(KEY, host=HOST, webhook_signing_key=SIGNING_KEY)
    client.create_integration(
        "private-api-bearer",
        "py",
        integration_config={"base_url": PROVIDER},
        idempotency_key="make-py",
    )
    imported = client.import_connection(
        "py",
        {"type": "API_KEY", "apiKey": "python-canary-key"},
        connection_id="acme",
        tags={"end_user_id": "u1"},
    )
    client.update_metadata("py", "acme", {"plan": "team"})
    session = client.create_connect_session(tags={"end_user_id": "u1"}, allowed_integrations=["py"])
    listed = client.list_connections(tags={"end_user_id": "u1"}, integration_id=["py", "none"])
    called = client.get("/echo", params={"q": "a b", "n": 1}, headers={"x-own": "1"}, **TARGET)
    posted = client.post("echo?x=1", data={"name": "Zoë"}, params={"y": 2}, **TARGET)
    raw = client.get("/bytes", **TARGET)
    client.set_environment_variable("PY_NAME", "value")
    return {
        "imported": imported["connection_config"],
        "token": client.get_token("py", "acme")["apiKey"] == "python-canary-key",
        "metadata": client.get_metadata("py", "acme"),
        "link": session["connect_link"].startswith("http"),
        "listed": [found["connection_id"] for found in listed["connections"]],
        "called": called["data"],
        "posted": posted["data"],
        "raw": list(raw["data"]),
        "refused": code_of(client.get, "/refuse", **TARGET),
        "unknown": code_of(client.get_connection, "py", "nobody"),
        "model": code_of(client.list_records, "py", "acme", "Contact"),
        "action": code_of(client.trigger_action, "py", "acme", "none", {"a": 1}),
        "sync": code_of(client.trigger_sync, "py", ["none"], "acme"),
        "late": code_of(client.wait_for_connection, session["token"], timeout=0),
        "variables": client.get_environment_variables(),
        "providers": [found["name"] for found in client.list_providers(search="private-api-bearer")],
        "functions": client.list_functions("py")["pagination"]["total"],
        "deleted": client.delete_environment_variable("PY_NAME"),
    }


async def walk_async():
    client = AsyncJackfield(KEY, host=HOST)
    calls = [client.get("/echo", params={"n": n}, **TARGET) for n in range(5)]
    answers = await asyncio.gather(*calls)
    try:
        async for _ in client.iterate_records("py", "acme", "Contact"):
            pass
        code = None
    except JackfieldError as error:
        code = error.code
    return {"numbers": [answer["data"]["query"] for answer in answers], "code": code}


def verify():
    """A webhook as it was received: headers and body on standard input."""
    received = json.load(sys.stdin)
    client = Jackfield(KEY, webhook_signing_key=SIGNING_KEY)
    event = client.verify_webhook(received["body"], received["headers"])
    forged = code_of(client.verify_webhook, received["body"] + " ", received["headers"])
    return {"type": event["type"], "connection": event["connectionId"], "forged": forged[0]}


if __name__ == "__main__":
    result = verify() if "--verify" in sys.argv else {**walk(), "async": asyncio.run(walk_async())}
    print(json.dumps(result))
