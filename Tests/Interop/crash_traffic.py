#!/usr/bin/env python3
"""kill -9 in a loop under token traffic: clients log in, refresh, revoke and ask for token maps over HTTP until the gateway
is killed; after each restart it must know all that it has acknowledged, and nothing that was ended may be good.

usage: crash_traffic.py BINARY ROUNDS sqlite|redis

A Redis server is one of its own that writes before it answers; in every other round it is killed as well. What was under
way without an answer may have happened or not, and only that. Exit status 1 and a line for each violation if anything
else is found.
"""

import base64
import http.client
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

KEY = "1234567890123456789"
# `patient` has time to ask again for what was lost.
BACKENDS = {"inv": {}, "patient": {"refreshReuseInterval": "60s"}}
PATIENCE = 10
LANES = 4
SHARED_SLOTS = 200
USERS = [f"user-{number}" for number in range(LANES)]


class Lost(Exception):
    """No answer that says what became of the request."""


class Violation(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Violation(what)


# What is started and killed


class RedisServer:
    def __init__(self, directory):
        self.socket = directory / "redis.sock"
        self.command = [
            "redis-server", "--port", "0", "--unixsocket", str(self.socket), "--dir", str(directory), "--save", "",
            "--appendonly", "yes", "--appendfsync", "always", "--logfile", str(directory / "redis.log"),
        ]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL)
        end = time.time() + PATIENCE
        while subprocess.run(["redis-cli", "-s", self.socket, "ping"], capture_output=True).stdout != b"PONG\n":
            expect(time.time() < end, "redis-server does not start")

    def kill(self):
        self.process.kill()
        self.process.wait()


class Gateway:
    """The program with its upstream, which is the same program and is left alone."""

    def __init__(self, binary, directory, store):
        self.binary, self.directory = binary, directory
        self.starts, self.process = 0, None
        with open(directory / "echo.log", "w") as log:
            self.echo = subprocess.Popen(
                [binary, "echo", "--listen", "127.0.0.1:0"], stderr=log, stdout=subprocess.DEVNULL)
        upstream = self.listening(directory / "echo.log", "echo", self.echo)
        (directory / "gateway.json").write_text(json.dumps(self.configuration(f"http://127.0.0.1:{upstream}", store)))

    @staticmethod
    def configuration(upstream, store):
        return {
            "baseUrl": "http://gw.example.com",
            "workers": 2,
            "listeners": [{"name": "public", "address": "127.0.0.1", "port": 0}],
            "admin": {"address": "127.0.0.1", "port": 0},
            "store": store,
            "log": {"access": "off"},
            # All clients have one address.
            "limits": {"passwordChecksPerAddress": 0},
            "upstreams": {"echo": {"url": upstream}},
            "users": [{"username": name, "password": "{PlainText}secret"} for name in USERS],
            "backends": [{
                "name": name, "version": "1.0", "mobileBackendId": f"mbe-{name}", "clientId": name,
                "clientSecret": "secret", "refreshTokens": True, "introspection": True, **more,
            } for name, more in BACKENDS.items()],
            "applications": [{
                "name": "testApp", "apiKey": KEY, "admin": {"mail": "a@example.com", "password": "{PlainText}x"},
            }],
            "routes": [{"path": "/notes", "upstream": "echo", "application": "testApp"}],
        }

    def launch(self):
        self.starts += 1
        self.log = self.directory / f"gateway-{self.starts}.log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--config", str(self.directory)], stderr=log, stdout=subprocess.DEVNULL)

    def start(self):
        """It is ready when it knows the deny list; until then it lets nobody in."""
        self.launch()
        self.port = self.listening(self.log, "public", self.process)
        admin = Connection(self.listening(self.log, "admin", self.process))
        end = time.time() + PATIENCE
        while not admin.finds_ready():
            expect(time.time() < end, "the gateway does not get ready")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.unlink()

    @staticmethod
    def listening(log, listener, process):
        end = time.time() + PATIENCE
        while time.time() < end and process.poll() is None:
            for line in log.read_text().splitlines():
                if '"event":"listening"' in line and json.loads(line)["listener"] == listener:
                    return int(json.loads(line)["address"].rsplit(":", 1)[1])
            time.sleep(0.005)
        raise Violation(f"no listener {listener}: {log.read_text()}")


class Connection:
    """A client's connection to the gateway that runs now."""

    def __init__(self, port, client="inv"):
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.client = {"Authorization": "Basic " + base64.b64encode(f"{client}:secret".encode()).decode()}

    def ask(self, method, path, headers, form=None):
        body = urllib.parse.urlencode(form) if form is not None else None
        if form is not None:
            headers = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
        try:
            self.http.request(method, path, body, headers)
            response = self.http.getresponse()
            text = response.read().decode()
        except (OSError, http.client.HTTPException) as error:
            raise Lost() from error
        # The store did not answer: nobody knows what became of it.
        if response.status == 503:
            raise Lost()
        return response.status, json.loads(text) if text.startswith("{") else {}

    def finds_ready(self):
        try:
            return self.ask("GET", "/readyz", {})[0] == 200
        except Lost:
            return False

    def grant(self, **form):
        return self.ask("POST", "/oauth2/token", self.client, form)

    def revoke(self, token):
        status, _ = self.ask("POST", "/oauth2/revoke", self.client, {"token": token})
        expect(status == 200, f"revocation: {status}")

    def is_active(self, token):
        status, answer = self.ask("POST", "/oauth2/introspect", self.client, {"token": token})
        expect(status == 200, f"introspection: {status}")
        return answer["active"]

    def token_map(self, **form):
        return self.ask("POST", "/yambas/oauth/token", {}, {"client_id": "testApp", "client_secret": KEY, **form})

    def claim(self, user, extra):
        status, answer = self.token_map(grant_type="aom_user", username=user, password="secret", extra=extra)
        expect(status == 200, f"token map: {status} {answer}")
        return answer["access_token"], answer["refresh_token"]

    def bearer(self, method, path, token):
        return self.ask(method, path, {"Authorization": f"Bearer {token}", "X-Apiomat-Apikey": KEY})[0]

    def opens(self, token):
        status = self.bearer("GET", "/notes", token)
        expect(status in (200, 401), f"a token map's token: {status}")
        return status == 200


# What clients do, and what they then know


class Lane:
    """A client: `work` until the gateway is lost, and `check` what became of it once it is back. `doubt` names what was
    under way."""

    def __init__(self, number):
        self.name = f"{type(self).__name__}-{number}"
        self.client = list(BACKENDS)[number % len(BACKENDS)]
        self.user = USERS[number % LANES]
        self.doubt = None
        self.acknowledged = self.doubtful = self.checked = 0

    def work(self, connection):
        try:
            while True:
                self.step(connection)
                self.doubt = None
                self.acknowledged += 1
        except Lost:
            self.doubtful += 1

    def judge(self, condition, what):
        self.checked += 1
        expect(condition, f"{self.name}: {what}")

    @staticmethod
    def sample(tokens):
        """Those that ended last, and some from before."""
        return tokens[-20:] + random.sample(tokens[:-20], min(10, len(tokens[:-20])))


class Logins(Lane):
    """The password grant, refresh tokens with rotation, revocation."""

    def __init__(self, number):
        super().__init__(number)
        self.pair = None
        # Refresh tokens of this login that were used, and those of logins that ended.
        self.used, self.spent = [], []
        # Access tokens of this login before its refreshes, which end with it, and those of logins that ended.
        self.earlier, self.dead = [], []

    def end(self):
        self.dead += self.earlier + [self.pair[0]]
        self.spent += self.used + [self.pair[1]]
        self.pair, self.used, self.earlier = None, [], []

    def login(self, connection):
        self.doubt = "login"
        status, answer = connection.grant(grant_type="password", username=self.user, password="secret")
        self.judge(status == 200, f"login: {status} {answer}")
        self.pair = answer["access_token"], answer["refresh_token"]

    def refresh(self, connection):
        """Answers whether the refresh token was good."""
        self.doubt = "refresh"
        status, answer = connection.grant(grant_type="refresh_token", refresh_token=self.pair[1])
        if status == 400:
            return False
        self.judge(status == 200, f"refresh: {status} {answer}")
        self.earlier.append(self.pair[0])
        self.used.append(self.pair[1])
        self.pair = answer["access_token"], answer["refresh_token"]
        return True

    def step(self, connection):
        if self.pair is None:
            self.login(connection)
        elif random.random() < 0.7:
            self.judge(self.refresh(connection), "an acknowledged refresh token is refused")
        else:
            self.doubt = "revoke"
            connection.revoke(self.pair[1])
            self.end()

    def check(self, connection):
        doubt, self.doubt = self.doubt, None
        if self.pair and doubt in ("refresh", "revoke"):
            if not self.refresh(connection):
                self.judge(doubt == "revoke" or self.client != "patient", "who has time is refused")
                # It has happened; and a refresh token that came twice ended what had come of it.
                old = self.pair[0]
                self.end()
                self.judge(not connection.is_active(old), f"{doubt} has happened, and the access token is good")
        if self.pair:
            self.judge(connection.is_active(self.pair[0]), "an acknowledged access token is refused")
            self.judge(self.refresh(connection), "an acknowledged refresh token is lost")
        for token in self.sample(self.dead):
            self.judge(not connection.is_active(token), "an access token of a login that ended is good")
        for token in self.sample(self.spent):
            status, _ = connection.grant(grant_type="refresh_token", refresh_token=token)
            self.judge(status == 400, f"a refresh token of a login that ended is answered {status}")
        # The one that was used last may come again where there is time for that.
        used = self.used[:-1] if self.client == "patient" else self.used
        if self.pair and used and random.random() < 0.3:
            self.steal(connection, random.choice(used))
        self.doubt = None

    def steal(self, connection, token):
        """A refresh token that comes twice ends its login."""
        status, _ = connection.grant(grant_type="refresh_token", refresh_token=token)
        self.judge(status == 400, f"a used refresh token is answered {status}")
        last = self.pair
        self.end()
        status, _ = connection.grant(grant_type="refresh_token", refresh_token=last[1])
        self.judge(status == 400, f"a login goes on behind reuse: {status}")
        end = time.time() + PATIENCE
        while connection.is_active(last[0]):
            self.judge(time.time() < end, "an access token outlives reuse")


class Applications(Lane):
    """The client credentials grant, and revocation of single access tokens."""

    def __init__(self, number):
        super().__init__(number)
        self.living, self.dead = [], []

    def step(self, connection):
        if len(self.living) < 20 or random.random() < 0.5:
            status, answer = connection.grant(grant_type="client_credentials")
            self.judge(status == 200, f"grant: {status} {answer}")
            self.living.append(answer["access_token"])
        else:
            self.doubt = self.living.pop(random.randrange(len(self.living)))
            connection.revoke(self.doubt)
            self.dead.append(self.doubt)

    def check(self, connection):
        # What is in doubt may be good or not, and is ended for good.
        if self.doubt:
            connection.revoke(self.doubt)
            self.dead.append(self.doubt)
            self.doubt = None
        for token in self.sample(self.living):
            self.judge(connection.is_active(token), "an acknowledged token is refused")
        for token in self.sample(self.dead):
            self.judge(not connection.is_active(token), "a revoked token is good")


class Slots(Lane):
    """Token maps in a slot of its own: the same pair until it is refreshed or revoked."""

    def __init__(self, number):
        super().__init__(number)
        self.pair = None
        self.dead = []

    def step(self, connection):
        choice = random.random()
        if self.pair is None:
            self.pair = self.claimed(connection)
        elif choice < 0.2:
            self.judge(self.claimed(connection) == self.pair, "a slot has another pair than was acknowledged")
        elif choice < 0.8:
            self.doubt = "refresh"
            status, answer = connection.token_map(grant_type="refresh_token", refresh_token=self.pair[1])
            self.judge(status == 200, f"an acknowledged refresh token is answered {status}")
            self.replace((answer["access_token"], answer["refresh_token"]))
        else:
            self.doubt = "revoke"
            status = connection.bearer("POST", "/yambas/oauth/users/revoke", self.pair[0])
            self.judge(status == 200, f"revocation: {status}")
            self.replace(None)

    def claimed(self, connection):
        return connection.claim(self.user, self.name)

    def replace(self, pair):
        self.dead.append(self.pair)
        self.pair = pair

    def check(self, connection):
        now = self.claimed(connection)
        if self.pair and now != self.pair:
            self.judge(self.doubt in ("refresh", "revoke"), "an acknowledged pair is lost")
            self.replace(now)
        self.pair, self.doubt = now, None
        self.judge(connection.opens(now[0]), "the pair of a slot is refused")
        self.judge(self.claimed(connection) == now, "a slot has two pairs")
        for access, refresh in self.sample(self.dead):
            self.judge(not connection.opens(access), "a slot has two living access tokens")
            status, _ = connection.token_map(grant_type="refresh_token", refresh_token=refresh)
            self.judge(status == 400, f"a slot has two living refresh tokens: {status}")


class SharedSlots(Lane):
    """Token maps that several clients ask for at the same time: each slot is given as one pair, for ever."""

    given = {}
    lock = threading.Lock()

    def step(self, connection):
        self.claim(connection, f"shared-{random.randrange(SHARED_SLOTS)}")

    def claim(self, connection, extra):
        pair = connection.claim(USERS[0], extra)
        with self.lock:
            first = self.given.setdefault(extra, pair)
        self.judge(pair == first, f"{extra} was given as two pairs")

    def check(self, connection):
        for extra in random.sample(sorted(self.given), min(20, len(self.given))):
            self.claim(connection, extra)
            self.judge(connection.opens(self.given[extra][0]), f"the pair of {extra} is refused")


# The rounds


class Rounds:
    def __init__(self, gateway, redis):
        self.gateway, self.redis = gateway, redis
        kinds = [Logins, Applications, Slots, SharedSlots]
        self.lanes = [kind(number) for kind in kinds for number in range(LANES)]
        self.violations = []

    def together(self, body):
        """Runs it for each lane in a thread of its own; answers the threads."""
        def guarded(lane):
            try:
                body(lane, Connection(self.gateway.port, lane.client))
            except Violation as violation:
                self.violations.append(str(violation))
            except Lost:
                self.violations.append(f"{lane.name}: no answer while nothing was killed")
        threads = [threading.Thread(target=guarded, args=[lane], daemon=True) for lane in self.lanes]
        for thread in threads:
            thread.start()
        return threads

    def kill(self, number):
        victims = [self.gateway, self.redis] if self.redis and number % 2 else [self.gateway]
        random.shuffle(victims)
        for victim in victims:
            victim.kill()
        if len(victims) == 2:
            self.redis.start()

    def run(self, number):
        if number % 10 == 0:
            # While it starts.
            self.gateway.launch()
            time.sleep(random.uniform(0, 0.1))
            self.gateway.kill()
        self.gateway.start()
        threads = self.together(lambda lane, connection: lane.work(connection))
        time.sleep(random.uniform(0.02, 0.5))
        self.kill(number)
        for thread in threads:
            thread.join()
        self.gateway.start()
        for thread in self.together(lambda lane, connection: lane.check(connection)):
            thread.join()
        self.gateway.kill()

    def sum(self, name):
        return sum(getattr(lane, name) for lane in self.lanes)

    def report(self):
        return (f"{self.sum('acknowledged')} operations acknowledged, {self.sum('doubtful')} in doubt, "
                f"{self.sum('checked')} checks")


def main():
    if len(sys.argv) != 4 or sys.argv[3] not in ("sqlite", "redis"):
        sys.exit("usage: crash_traffic.py BINARY ROUNDS sqlite|redis")
    binary, count, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    began = time.time()
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        redis = RedisServer(directory) if kind == "redis" else None
        url = {"url": f"unix:{redis.socket}"} if redis else {}
        gateway = Gateway(binary, directory, {"kind": kind, **url})
        rounds = Rounds(gateway, redis)
        try:
            for number in range(1, count + 1):
                rounds.run(number)
                for violation in rounds.violations:
                    print(f"round {number}: {violation}", flush=True)
                if rounds.violations:
                    sys.exit(1)
                if number % 50 == 0:
                    print(f"{number} rounds, {rounds.report()}", flush=True)
        finally:
            for process in filter(None, [gateway.echo, gateway.process, redis and redis.process]):
                process.kill()
                process.wait()
    print(f"{count} rounds of kill -9 under token traffic ({kind}), {rounds.report()}: nothing lost, nothing alive again "
          f"({time.time() - began:.0f} s)")


main()
