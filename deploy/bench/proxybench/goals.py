"""What the subject is to reach beside its peers, and what it has."""
from statistics import median

FLOORS = ("floor-epoll", "floor-uring")
SUBJECT = "itself"

# Scenario, peer ("" for the best of all that were measured), what is compared, and how much of the peer's it may be. Two
# names before the peer: the peer, or the subject itself, in another scenario.
GOALS = [
    ("plain", "nginx", None, 0.80),
    ("jwt_rs256", "plain nginx", None, 0.90),
    ("jwt_rs256", "nginx-lua", None, 0.75),
    ("jwt_es256", "plain nginx", None, 0.90),
    ("jwt_es256", "nginx-lua", None, 0.75),
    ("jwt_rules", f"jwt_rs256 {SUBJECT}", None, 1.10),
    ("jwt_many", "nginx-lua", None, 0.75),
    ("challenge", "", None, 0.80),
    ("forbidden", "", None, 0.80),
    ("cors_preflight", "", None, 0.85),
    ("cors_simple", "", None, 0.80),
    ("tls_keepalive", "", None, 0.85),
    ("tls_handshake", "", None, 1.0),
    ("tls_resume", "", None, 1.0),
    ("h2_tls_plain", "", None, 1.0),
    ("h2_tls", "", None, 0.75),
    ("body_down_1m", "", None, 1.0),
    ("body_up_1m", "", None, 1.0),
    ("conns_10k", "", None, 1.0),
    ("conns_10k", "", "rss_full_kib", 1.0),
    ("basic_auth", "", None, 0.25),
    ("plain_half", "", None, 1.0),
    ("jwt_half", "", None, 1.0),
]


def _runs(result, scenario, name):
    """The runs of a proxy; none where it failed, or answered with errors: those may be cheap."""
    entry = result["scenarios"].get(scenario, {}).get("proxies", {}).get(name, {})
    runs = [r for r in entry.get("runs", []) if r]
    return [] if entry.get("failed") or any(r["errors"] for r in runs) else runs


def _best(result, scenario, key):
    """The peer with the lowest median."""
    peers = result["scenarios"][scenario]["proxies"]
    cost = {name: median(r[key] for r in _runs(result, scenario, name)) for name in peers
            if name not in result["meta"]["subjects"] and name not in FLOORS and _runs(result, scenario, name)}
    return min(cost, key=cost.get, default=None)


def measured(result, subject):
    """For each goal whose runs are there: scenario, peer, what is compared, goal, ratio and its range over the rounds.
    Runs of one scenario are compared within the round, those of two by their medians. No ratio where the subject failed."""
    rows = []
    for scenario, peer, key, goal in GOALS:
        if scenario not in result["scenarios"]:
            continue
        ours = _runs(result, scenario, subject)
        key = key or result["scenarios"][scenario]["compared"]
        peer = peer or _best(result, scenario, key)
        if not peer:
            continue
        other, _, name = peer.rpartition(" ")
        theirs = _runs(result, other or scenario, subject if name == SUBJECT else name)
        if not theirs:
            continue
        if not ours:
            rows.append((scenario, peer, key, goal, None, None, None))
            continue
        if other:
            ratios = [median(r[key] for r in ours) / median(r[key] for r in theirs)]
        else:
            ratios = [a[key] / b[key] for a, b in zip(ours, theirs) if b[key] > 0]
        if ratios:
            rows.append((scenario, peer, key, goal, median(ratios), min(ratios), max(ratios)))
    return rows


def table(result):
    """The goals in Markdown; empty where there is no subject."""
    names = {"cpu_us": "CPU", "rss_per_conn_kib": "memory for each connection", "rss_full_kib": "memory held in all",
             "p99_us": "99th percentile"}
    subjects = result["meta"]["subjects"]
    columns = [measured(result, subject) for subject in subjects]
    if not any(columns):
        return ""
    out = ["## Goals\n", "| scenario | compared with | | goal | " + " | ".join(subjects) + " |",
           "|---|---|---|---:|" + "---:|" * len(subjects)]
    for row in zip(*columns):
        scenario, peer, key, goal = row[0][:4]
        out.append(f"| `{scenario}` | {peer} | {names[key]} | {goal:.2f} | " + " | ".join(map(_cell, row)) + " |")
    return "\n".join(out) + "\n"


def _cell(row):
    *_, goal, ratio, low, high = row
    if ratio is None:
        return "**failed**"
    spread = f" ({low:.2f}–{high:.2f})" if low != high else ""
    return f"{ratio:.2f}{spread} " + ("met" if ratio <= goal else "**not met**")
