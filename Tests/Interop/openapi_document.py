"""The operations of config/schema/openapi.json, each of which compares what it sends and gets with its description."""

import json
import pathlib
import re
import urllib.parse

import requests
from jsonschema import Draft202012Validator

DOCUMENT = json.loads((pathlib.Path(__file__).parents[2] / "config/schema/openapi.json").read_text(encoding="utf-8"))
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
failures = []


def resolve(node):
    while "$ref" in node:
        steps, node = node["$ref"].removeprefix("#/").split("/"), DOCUMENT
        for step in steps:
            node = node[step]
    return node


def closed(schema):
    """The schema without members that it does not name: what is sent and answered must be described."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: closed(value) for name, value in schema.items()}
    if "properties" in schema and "type" in schema:
        result.setdefault("additionalProperties", False)
    return result


COMPONENTS = closed(DOCUMENT["components"])


def problems(value, schema):
    validator = Draft202012Validator(closed(schema) | {"components": COMPONENTS})
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(value)]


def members(schema):
    """The names of the members of a form."""
    schema = resolve(schema)
    return set(schema.get("properties", {})).union(*(members(part) for part in schema.get("allOf", [])))


class Operation:
    def __init__(self, path, method, item, origins):
        self.path, self.method, self.item = path, method, item[method]
        self.id = self.item["operationId"]
        self.is_public = "servers" not in item
        self.origin = origins[0 if self.is_public else 1]
        self.parameters = [resolve(one) for one in item.get("parameters", []) + self.item.get("parameters", [])]
        self.succeeded = False

    def fail(self, text):
        failures.append(f"{self.id}: {text}")

    def examples(self, place):
        wanted = [one for one in self.parameters if one["in"] == place and one.get("required")]
        return {one["name"]: one["example"] for one in wanted if "example" in one}

    def call(
        self,
        expected=None,
        *,
        path={},
        query={},
        headers={},
        form=None,
        body=None,
        user=None,
        token=None,
        session=requests,
    ):
        """Sends a request, compares it and the answer with the document, and returns the answer.

        expected: the status; None for any. path: parameters other than their examples. body: an object, or CSV.
        user: name and password of Basic. token: a bearer token.
        """
        values = self.examples("path") | path
        target = re.sub(r"\{(\w+)\}", lambda name: urllib.parse.quote(values[name[1]], safe=""), self.path)
        query, sent = self.examples("query") | query, dict(headers)
        media = None
        if form is not None:
            media = FORM
        elif body is not None:
            media = "text/csv" if isinstance(body, str) else JSON
        if media:
            sent["Content-Type"] = media
        if token:
            sent["Authorization"] = f"Bearer {token}"
        data = json.dumps(body) if media == JSON else body or form
        url, options = self.origin + target, {"auth": user, "allow_redirects": False, "timeout": 60}
        answer = session.request(self.method, url, params=query, headers=sent, data=data, **options)
        if expected not in (None, answer.status_code):
            self.fail(f"{answer.status_code} instead of {expected}: {answer.text[:300]}")
        self.check(answer)
        if answer.status_code < 400:
            self.succeeded = True
            self.check_request(query, headers, media, form, body)
        return answer

    def refuse(self, *, method=None, headers={}, data=None):
        """Sends an unusual request, and compares a refusal with the document."""
        target = re.sub(r"\{(\w+)\}", lambda name: self.examples("path").get(name[1], "x"), self.path)
        token = {} if self.is_public else {"Authorization": "Bearer admin-secret"}
        answer = requests.request(
            method or self.method,
            self.origin + target,
            headers=token | headers,
            data=data,
            allow_redirects=False,
            timeout=60,
        )
        if answer.status_code >= 400:
            self.check(answer, self.item["responses"]["default"])
        return answer

    def check(self, answer, otherwise=None):
        response = self.item["responses"].get(str(answer.status_code), otherwise)
        if response is None:
            return self.fail(f"the status {answer.status_code} is not described: {answer.text[:200]}")
        content = resolve(response).get("content", {})
        media = answer.headers.get("Content-Type", "").split(";")[0]
        if not answer.content and JSON in content and len(content) == 1:
            self.fail(f"{answer.status_code} without a body")
        if answer.content and media not in content:
            self.fail(f"{answer.status_code} has {media}, and {sorted(content)} are described")
        elif answer.content and media == JSON:
            for problem in problems(answer.json(), content[media]["schema"]):
                self.fail(f"{answer.status_code}: {problem} in {answer.text[:300]}")

    def check_request(self, query, headers, media, form, body):
        schemes = DOCUMENT["components"]["securitySchemes"]
        known = {(one["in"], one["name"]) for one in self.parameters}
        known |= {("header", schemes[name].get("name")) for way in self.item.get("security", []) for name in way}
        unknown = {("query", name.split("[")[0]) for name in query} | {("header", name) for name in headers}
        unknown -= known
        content = resolve(self.item.get("requestBody", {})).get("content", {})
        if media and media not in content:
            self.fail(f"{media} is not described")
        elif form is not None:
            unknown |= {("form", name) for name in set(form) - members(content[FORM]["schema"])}
        elif body is not None:
            for problem in problems(body, content[media]["schema"]):
                self.fail(f"the request: {problem}")
        if unknown:
            self.fail(f"not described: {sorted(unknown)}")


def operations(origins):
    """By id. The origins are those of the public listener and the admin listener."""
    found = [
        Operation(path, method, item, origins)
        for path, item in DOCUMENT["paths"].items()
        for method in ("get", "post", "put", "patch", "delete")
        if method in item
    ]
    return {operation.id: operation for operation in found}
