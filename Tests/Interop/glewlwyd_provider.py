"""Glewlwyd, the Debian package, with a database of its own. Its user is ann, with the password Welcome1, whose property `groups`
is clerks. See `login_provider.py`."""
import contextlib
import json
import pathlib
import sqlite3
import tempfile
import threading

from child import started
from loopback import Listener, echo

CLIENT, SECRET = "gateway", "s3cret"
SCHEMA = pathlib.Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
CONFIGURATION = """
port = {port}
bind_address = "127.0.0.1"
external_url = "http://127.0.0.1:{port}/"
login_url = "login.html"
api_prefix = "api"
static_files_path = "/usr/share/glewlwyd/webapp/"
static_files_mime_types = ({{ extension = ".html", mime_type = "text/html", compress = 0 }})
log_mode = "console"
log_level = "INFO"
cookie_secure = 0
hash_algorithm = "SHA512"
user_module_path = "/usr/lib/glewlwyd/user"
client_module_path = "/usr/lib/glewlwyd/client"
user_auth_scheme_module_path = "/usr/lib/glewlwyd/scheme"
plugin_module_path = "/usr/lib/glewlwyd/plugin"
database = {{ type = "sqlite3", path = "{directory}/glewlwyd.db" }}
"""


def prepare(directory):
    """The command that starts it on a port."""
    with sqlite3.connect(directory / "glewlwyd.db") as database:
        database.executescript(SCHEMA.read_text())
        # Properties that the default does not know.
        for table, column, name in [
            ("g_user_module_instance", "gumi_parameters", "groups"),
            ("g_client_module_instance", "gcmi_parameters", "post_logout_redirect_uris"),
        ]:
            (text,), = database.execute(f"SELECT {column} FROM {table}")
            parameters = json.loads(text)
            parameters["data-format"][name] = {"multiple": True, "read": True, "write": True}
            database.execute(f"UPDATE {table} SET {column} = ?", (json.dumps(parameters),))
    database.close()

    def command(port):
        (directory / "glewlwyd.conf").write_text(CONFIGURATION.format(port=port, directory=directory))
        # Its output is a pipe, which it would fill before it writes.
        return ["/usr/bin/stdbuf", "-oL", "/usr/bin/glewlwyd", "--config-file", str(directory / "glewlwyd.conf")]

    return command


class Administrator:
    """The program's own API."""

    def __init__(self, base):
        import requests

        self.base, self.session = base, requests.Session()
        self.call("POST", "auth/", {"username": "admin", "password": "password"})

    def call(self, method, path, content):
        response = self.session.request(method, f"{self.base}/api/{path}", json=content, timeout=20)
        if not response.ok:
            raise SystemExit(f"{method} {path}: {response.status_code} {response.text}")
        return response

    def set_up(self, issuer):
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import rsa

        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.call("POST", "mod/plugin/", {
            "module": "oidc", "name": "oidc", "display_name": "oidc", "order_rank": 0, "parameters": {
                "iss": issuer, "jwt-type": "rsa", "jwt-key-size": "256", "key": key.private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode(),
                "cert": key.public_key().public_bytes(
                    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode(),
                # The gateway renews a token in the last 30 seconds of its time.
                "access-token-duration": 32, "refresh-token-duration": 3600, "code-duration": 60, "refresh-token-rolling": True,
                "refresh-token-one-use": "always", "oauth-as-iss-id": True, "subject-type": "public", "jwks-show": True,
                "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True, "auth-type-refresh-enabled": True,
                "auth-type-token-enabled": False, "auth-type-password-enabled": False, "auth-type-client-enabled": False,
                "auth-type-none-enabled": False, "auth-type-device-enabled": False, "allow-non-oidc": False,
                "pkce-allowed": True, "pkce-required": True, "allowed-scope": ["openid"], "scope": [],
                "additional-parameters": [], "name-claim": "mandatory", "email-claim": "mandatory", "scope-claim": "no",
                "claims": [{"name": "groups", "user-property": "groups", "type": "string", "mandatory": True, "scope": []}],
                "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
                "session-management-allowed": True, "session-cookie-name": "GLEWLWYD2_OIDC_SID", "session-cookie-expiration": 3600,
                "back-channel-logout-allowed": False, "front-channel-logout-allowed": True,
            },
        })
        self.call("POST", "user/", {
            "username": "ann", "password": "Welcome1", "name": "Ann Example", "email": "ann@example.com", "groups": ["clerks"],
            "scope": ["openid", "g_profile"],
        })

    def register(self, client):
        self.call("POST", "client/", {
            "client_id": CLIENT, "name": "the gateway", "confidential": True, "client_secret": SECRET, "scope": ["openid"],
            "authorization_type": ["code", "refresh_token"], "redirect_uri": [client["redirect_uri"]],
            "token_endpoint_auth_method": ["client_secret_basic"],
            "post_logout_redirect_uris": [client["post_logout_redirect_uri"]],
            "frontchannel_logout_uri": client["frontchannel_logout_uri"], "frontchannel_logout_session_required": "true",
        })


def main():
    with tempfile.TemporaryDirectory() as directory:
        with started(prepare(pathlib.Path(directory)), "Glewlwyd started") as (port, _):
            base = f"http://127.0.0.1:{port}"
            issuer = f"{base}/api/oidc"
            administrator = Administrator(base)
            administrator.set_up(issuer)

            def register(body, *_):
                administrator.register(json.loads(body))
                return 200, {}, "{}"

            def tokens(*_):
                """How many refresh tokens could be used."""
                with contextlib.closing(sqlite3.connect(pathlib.Path(directory, "glewlwyd.db"))) as database:
                    (count,), = database.execute("SELECT count(*) FROM gpo_refresh_token WHERE gpor_enabled = 1")
                return 200, {}, json.dumps(count)

            control = Listener({
                "POST /client": register, "POST /tokens": tokens, **echo("/app", "/api", "/other"),
            })
            print(f"issuer {issuer}", flush=True)
            print(f"control http://127.0.0.1:{control.port}", flush=True)
            threading.Event().wait()
