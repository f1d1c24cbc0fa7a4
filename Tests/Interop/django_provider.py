"""django-oauth-toolkit in a Django project of its own, with a form for logins and its page for consent. Its user is ann, with
the password Welcome1, a member of the group clerks. See `login_provider.py`."""
import json
import logging
import os
import pathlib
import tempfile
import warnings

from loopback import Listener, echo

CLIENT, SECRET = "gateway", "s3cret"
FORM = """<form method="post">{% csrf_token %}{{ form }}<input type="hidden" name="next" value="{{ next }}"></form>"""


def configure(directory, issuer):
    import django
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa
    from django.conf import settings

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    settings.configure(
        SECRET_KEY="secret", ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, USE_TZ=True, LOGIN_URL="/accounts/login/",
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": directory / "db", "OPTIONS": {"timeout": 20}}},
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "context_processors": ["django.template.context_processors.request"],
                "loaders": [
                    ("django.template.loaders.locmem.Loader", {"registration/login.html": FORM}),
                    "django.template.loaders.app_directories.Loader",
                ],
            },
        }],
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": key.decode(), "OIDC_ISS_ENDPOINT": issuer,
            "OIDC_RP_INITIATED_LOGOUT_ENABLED": True, "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": False,
            "OAUTH2_VALIDATOR_CLASS": f"{__name__}.validator", "REFRESH_TOKEN_REUSE_PROTECTION": True,
            "SCOPES": {"openid": "who you are", "email": "your address", "profile": "your name", "offline_access": "always"},
            # The gateway renews a token in the last 30 seconds of its time.
            "ACCESS_TOKEN_EXPIRE_SECONDS": 32,
        })
    django.setup()


def __getattr__(name):
    """What Django asks this module for by name once it is set up."""
    if name == "urlpatterns":
        from django.contrib.auth.views import LoginView
        from django.urls import include, path
        return [path("o/", include("oauth2_provider.urls")), path("accounts/login/", LoginView.as_view())]
    if name == "validator":
        from oauth2_provider.oauth2_validators import OAuth2Validator

        class Validator(OAuth2Validator):
            # Claims and their scopes are the project's.
            oidc_claim_scope = OAuth2Validator.oidc_claim_scope | {"groups": "profile"}

            def get_additional_claims(self):
                return {
                    "email": lambda request: request.user.email, "email_verified": lambda request: True,
                    "name": lambda request: request.user.get_full_name(),
                    "groups": lambda request: [group.name for group in request.user.groups.all()],
                }

        return Validator
    raise AttributeError(name)


def register(body, *_):
    from oauth2_provider.models import Application

    client = json.loads(body)
    Application.objects.create(
        client_id=CLIENT, client_secret=SECRET, name="the gateway", client_type="confidential", algorithm="RS256",
        authorization_grant_type="authorization-code", redirect_uris=client["redirect_uri"],
        post_logout_redirect_uris=client["post_logout_redirect_uri"])
    return 200, {}, "{}"


def revoke(*_):
    """An administrator ends what the user has granted."""
    from oauth2_provider.models import get_refresh_token_model

    for token in get_refresh_token_model().objects.filter(revoked__isnull=True):
        token.revoke()
    return 200, {}, "{}"


def main():
    import werkzeug.serving

    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as directory:
        server = werkzeug.serving.make_server("127.0.0.1", 0, lambda *call: application(*call), threaded=True)
        issuer = f"http://127.0.0.1:{server.server_port}/o"
        configure(pathlib.Path(directory), issuer)

        from django.contrib.auth.models import Group, User
        from django.core.management import call_command
        from django.core.wsgi import get_wsgi_application

        call_command("migrate", verbosity=0)
        ann = User.objects.create_user("ann", "ann@example.com", "Welcome1", first_name="Ann", last_name="Example")
        ann.groups.add(Group.objects.create(name="clerks"))
        application = get_wsgi_application()
        control = Listener({"POST /client": register, "POST /revoke": revoke, **echo("/app", "/api", "/other")})
        print(f"issuer {issuer}", flush=True)
        print(f"control http://127.0.0.1:{control.port}", flush=True)
        server.serve_forever()
