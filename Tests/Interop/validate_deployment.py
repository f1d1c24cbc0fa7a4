#!/usr/bin/env python3
"""Checks deploy/kubernetes with the schemas of Kubernetes, and deploy/compose.yaml with that of Compose: the files, that they refer
to what exists, and files that must be refused.

Needs the packages `kubernetes-validate` and `check-jsonschema`. Where `kubectl` is installed, it renders the overlays, and the result
is checked as well. Run it from anywhere; the exit status is 0 when all is well.
"""

import copy
import json
import pathlib
import re
import shutil
import subprocess
import sys

import kubernetes_validate
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
KUBERNETES = ROOT / "deploy/kubernetes"
COMPOSE = ROOT / "deploy/compose.yaml"
# The oldest one that is supported (preStop with sleep), and the newest one known.
VERSIONS = ("1.30", kubernetes_validate.latest_version())
LABEL = "app.kubernetes.io/name"
# Paths in the deployment, and values that the schemas refuse.
SPOILED = [
    (("spec", "replica"), 2),
    (("spec", "selector"), None),
    (("spec", "template", "spec", "containers", 0, "readinessProbe", "httpGet", "port"), None),
    (("spec", "template", "spec", "securityContext", "runAsNonRoot"), "yes"),
    (("spec", "template", "spec", "containers", 0, "lifecycle", "preStop", "sleep", "seconds"), "5"),
]

failures = []
checks = 0


def check(ok, message):
    global checks
    checks += 1
    if not ok:
        failures.append(message)


def load(path):
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def error(resource, version):
    """What a schema refuses of a resource; None if it is valid or, as for the monitor of services, of no kind of Kubernetes itself."""
    try:
        kubernetes_validate.validate(resource, version, strict=True)
    except kubernetes_validate.SchemaNotFoundError:
        return None if resource["kind"] == "ServiceMonitor" else f"unknown kind {resource['kind']}"
    except kubernetes_validate.ValidationError as failure:
        return f"{list(failure.path)}: {failure.message}"
    return None


def check_resources(resources, where):
    for resource in resources:
        for version in VERSIONS:
            found = error(resource, version)
            check(found is None, f"{where}: {resource['kind']} in {version}: {found}")


def files_of(kustomization):
    """The files that a kustomization names."""
    document = load(kustomization)[0]
    names = document.get("resources", []) + [name for maps in document.get("configMapGenerator", []) for name in maps["files"]]
    return [kustomization.parent / name for name in names]


def check_references(resources, where):
    """Names and ports that resources of an overlay know each other by."""
    by_kind = {(resource["kind"], resource["metadata"]["name"]): resource for resource in resources}
    deployment = by_kind["Deployment", "portcullis"]
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    ports = {port["name"] for port in container["ports"]}
    pod = {LABEL: deployment["spec"]["template"]["metadata"]["labels"][LABEL]}
    check(deployment["spec"]["selector"]["matchLabels"] == pod, f"{where}: the deployment selects other pods")
    for probe in ("readinessProbe", "startupProbe", "livenessProbe"):
        check(container[probe]["httpGet"]["port"] in ports, f"{where}: {probe}")
    for (kind, name), resource in by_kind.items():
        spec = resource.get("spec")
        if kind == "Service":
            check(spec["selector"] == pod, f"{where}: {name} selects other pods")
            check({port["targetPort"] for port in spec["ports"]} <= ports, f"{where}: ports of {name}")
        elif kind == "PodDisruptionBudget":
            check(spec["selector"]["matchLabels"] == pod, f"{where}: {kind} selects other pods")
        elif kind == "NetworkPolicy":
            check(spec["podSelector"]["matchLabels"] == pod, f"{where}: {kind} selects other pods")
            check({port["port"] for rule in spec["ingress"] for port in rule["ports"]} <= ports, f"{where}: ports of {kind}")
        elif kind == "HorizontalPodAutoscaler":
            check((spec["scaleTargetRef"]["kind"], spec["scaleTargetRef"]["name"]) in by_kind, f"{where}: target of {kind}")
        elif kind == "ServiceMonitor":
            wanted = spec["selector"]["matchLabels"].items()
            services = [other for (kind, _), other in by_kind.items()
                        if kind == "Service" and wanted <= other["metadata"].get("labels", {}).items()]
            check(len(services) == 1, f"{where}: the monitor selects {len(services)} services")
            named = {port["name"] for service in services for port in service["spec"]["ports"]}
            check({endpoint["port"] for endpoint in spec["endpoints"]} <= named, f"{where}: ports of the monitor")
    check({"portcullis"} == {source["secretRef"]["name"] for source in container["envFrom"]}, f"{where}: secret")


def check_overlay(overlay):
    """The resources of an overlay with its base, and its configuration."""
    where = overlay.relative_to(ROOT)
    kustomization = overlay / "kustomization.yaml"
    named = files_of(kustomization)
    bases = [path / "kustomization.yaml" for path in named if path.is_dir()]
    for path in named:
        check(path.exists(), f"{where}: {path} does not exist")
    resources = [resource for base in bases for path in files_of(base) for resource in load(path)]
    resources += [resource for path in named if path.suffix == ".yaml" for resource in load(path)]
    check_references(resources, where)
    # Each secret of the configuration stands in the commands that make it.
    commands = kustomization.read_text() + (KUBERNETES / "overlays/single/kustomization.yaml").read_text()
    for path in named:
        for name in re.findall(r'"env:(\w+)"', path.read_text()) if path.suffix == ".json" else []:
            check(f"--from-literal={name}=" in commands, f"{where}: nothing says how {name} is made")
    for generator in load(kustomization)[0]["configMapGenerator"]:
        check(generator["options"] == {"disableNameSuffixHash": True}, f"{where}: a changed map would replace the pods")
    if shutil.which("kubectl"):
        rendered = subprocess.run(["kubectl", "kustomize", overlay], capture_output=True, text=True)
        check(rendered.returncode == 0, f"{where}: {rendered.stderr}")
        rendered = list(yaml.safe_load_all(rendered.stdout))
        check_resources(rendered, f"{where}, rendered")
        check({"Deployment", "ConfigMap"} <= {resource["kind"] for resource in rendered}, f"{where}: not rendered")


def spoil(document, path, value):
    """A copy of a resource with another value at the path; None removes it."""
    spoiled = copy.deepcopy(document)
    place = spoiled
    for step in path[:-1]:
        place = place[step]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return spoiled


def compose_status(path):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", path]
    return subprocess.run(command, capture_output=True).returncode


def main():
    kustomizations = sorted(KUBERNETES.rglob("kustomization.yaml"))
    named = {path.resolve() for kustomization in kustomizations for path in files_of(kustomization)}
    for path in sorted(KUBERNETES.rglob("*.*")):
        check(path in kustomizations or path.resolve() in named, f"{path.relative_to(ROOT)}: no kustomization names it")
        if path.suffix == ".yaml" and path not in kustomizations:
            check_resources(load(path), path.relative_to(ROOT))
    overlays = sorted((KUBERNETES / "overlays").iterdir())
    check(len(overlays) >= 2, "no overlays")
    for overlay in overlays:
        check_overlay(overlay)
    deployment = load(KUBERNETES / "base/deployment.yaml")[0]
    for path, value in SPOILED:
        check(error(spoil(deployment, path, value), VERSIONS[0]), f"{path} = {value!r} is accepted")

    number = re.search(r'number = "([^"]+)"', (ROOT / "Sources/portcullis/Commands/ProgramVersion.swift").read_text())[1]
    images = load(KUBERNETES / "base/kustomization.yaml")[0]["images"]
    check([image["newTag"] for image in images] == [number], f"the tag of the image is not {number}")
    named = re.findall(r"portcullis[-_:](\d+\.\d+\.\d+)", (ROOT / "deploy/docs/install.md").read_text() + COMPOSE.read_text())
    check(named and set(named) == {number}, f"install.md and compose.yaml name other versions than {number}: {sorted(set(named))}")
    compose = load(COMPOSE)[0]
    check({service["image"] for service in compose["services"].values()} == {f"portcullis:{number}"}, "compose: tag of the image")
    check(compose_status(COMPOSE) == 0, "compose.yaml is refused")
    spoiled = ROOT / ".build/compose-spoiled.yaml"
    spoiled.write_text(json.dumps(spoil(compose, ("services", "api", "read_only"), [])))
    check(compose_status(spoiled) != 0, "a spoiled compose.yaml is accepted")
    spoiled.unlink()

    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{checks - len(failures)} of {checks} checks of the deployment passed")
    return 1 if failures else 0


sys.exit(main())
