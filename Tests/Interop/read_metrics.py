#!/usr/bin/env python3
"""Reads a Prometheus text exposition from standard input with the reference parser.

Prints the samples as a JSON array of {name, labels, value, type}. Exits with 1 if the parser refuses the text, if a
family or a sample stands there twice, or if a family has no HELP or TYPE.
"""
import json
import sys

from prometheus_client.parser import text_string_to_metric_families


def main():
    samples, seen, families, problems = [], set(), set(), []
    for family in text_string_to_metric_families(sys.stdin.read()):
        if family.name in families:
            problems.append(f"{family.name}: the family stands there twice")
        families.add(family.name)
        if family.type == "unknown":
            problems.append(f"{family.name}: no TYPE")
        if not family.documentation:
            problems.append(f"{family.name}: no HELP")
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            if key in seen:
                problems.append(f"{sample.name}{sample.labels}: the sample stands there twice")
            seen.add(key)
            samples.append({"name": sample.name, "labels": sample.labels, "value": sample.value, "type": family.type})
    if not samples:
        problems.append("no samples")
    json.dump(samples, sys.stdout)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ValueError as error:
        print(f"no valid exposition: {error}", file=sys.stderr)
        sys.exit(1)
