"""Pebble, the test server of Let's Encrypt, on ports of its own, until it is ended.

    pebble_authority.py DIRECTORY PORT

Writes the certificate to trust to DIRECTORY/pebble.pem and prints the URL of its directory. Each name is looked for on 127.0.0.1, at
the port given.
"""
import json
import pathlib
import signal
import subprocess
import sys

from child import free_port, started

place, port = pathlib.Path(sys.argv[1]), int(sys.argv[2])
files = [place / "pebble.pem", place / "pebble.key"]
subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=pebble",
     "-addext", "subjectAltName=DNS:localhost", "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)


def names(own):
    return ["pebble-challtestsrv", "-defaultIPv6", "", "-defaultIPv4", "127.0.0.1", "-dns01", f"127.0.0.1:{own}", "-http01", "", "-https01",
            "", "-tlsalpn01", "", "-management", f"127.0.0.1:{free_port()}"]


def authority(resolver):
    def command(own):
        settings = {
            "listenAddress": f"127.0.0.1:{own}", "managementListenAddress": f"127.0.0.1:{free_port()}",
            "certificate": str(files[0]), "privateKey": str(files[1]), "httpPort": port, "tlsPort": 1,
            "ocspResponderURL": "", "certificateValidityPeriod": 7776000}
        (place / "pebble.json").write_text(json.dumps({"pebble": settings}))
        # No pauses before it looks for names; a fifth of the nonces is refused.
        return ["env", "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=20", "pebble", "-strict", "-config", str(place / "pebble.json"),
                "-dnsserver", f"127.0.0.1:{resolver}"]
    return command


with started(names, "Starting management server") as (resolver, _):
    with started(authority(resolver), "ACME directory available") as (own, _):
        print(f"https://localhost:{own}/dir", flush=True)
        signal.pause()
