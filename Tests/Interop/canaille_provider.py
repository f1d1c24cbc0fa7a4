"""Canaille, with a database of its own. Its user is ann, with the password Welcome1, a member of the group clerks. See
`login_provider.py`."""
import datetime
import json
import logging
import pathlib
import tempfile

from loopback import Listener, echo

CLIENT, SECRET = "gateway", "s3cret"


def main():
    with tempfile.TemporaryDirectory() as directory:
        serve(pathlib.Path(directory))


def serve(directory):
    import werkzeug.serving
    from canaille import create_app

    logging.disable(logging.CRITICAL)
    server = werkzeug.serving.make_server("127.0.0.1", 0, lambda *call: app(*call), threaded=True)
    host = f"127.0.0.1:{server.server_port}"
    app = create_app({
        "SECRET_KEY": "secret" * 8, "SERVER_NAME": host, "PREFERRED_URL_SCHEME": "http",
        # The gateway renews a token in the last 30 seconds of its time.
        "OAUTH2_TOKEN_EXPIRES_IN": {"authorization_code": 32, "refresh_token": 32},
        "CANAILLE_SQL": {"DATABASE_URI": f"sqlite:///{directory}/db", "PASSWORD_SCHEMES": "plaintext"},
        "CANAILLE": {"DATABASE": "sql", "SMTP": None, "SMPP": None, "ENABLE_PASSWORD_RECOVERY": False},
    })

    from canaille.app import models
    from canaille.backends import Backend

    with app.app_context():
        ann = models.User(
            user_name="ann", formatted_name="Ann Example", family_name="Example", emails=["ann@example.com"], password="Welcome1")
        Backend.instance.save(ann)
        Backend.instance.save(models.Group(display_name="clerks", members=[ann]))

    def inside(body):
        def answer(text, *_):
            with app.app_context():
                body(json.loads(text or "{}"))
            return 200, {}, "{}"
        return answer

    def register(client):
        known = models.Client(
            client_id=CLIENT, client_secret=SECRET, client_name="the gateway", redirect_uris=[client["redirect_uri"]],
            client_id_issued_at=datetime.datetime.now(datetime.timezone.utc), response_types=["code"],
            post_logout_redirect_uris=[client["post_logout_redirect_uri"]], grant_types=["authorization_code", "refresh_token"],
            scope=["openid", "email", "profile", "groups"], token_endpoint_auth_method="client_secret_basic")
        # It has its id from then on.
        Backend.instance.save(known)
        known.audience = [known]
        Backend.instance.save(known)

    def revoke(_):
        """The user ends what was granted."""
        for consent in Backend.instance.query(models.Consent):
            consent.revoke()

    control = Listener({"POST /client": inside(register), "POST /revoke": inside(revoke), **echo("/app", "/api", "/other")})
    print(f"issuer http://{host}", flush=True)
    print(f"control http://127.0.0.1:{control.port}", flush=True)
    server.serve_forever()
