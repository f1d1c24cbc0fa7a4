#!/usr/bin/env python3
"""What sslyze finds of a TLS listener: tls_audit.py HOST:PORT CA. Exits with 1 where it finds something of weight.

The certificate is trusted if the authority is its own issuer; that it is nobody's else is not held against it.
"""
import sys
from pathlib import Path

from sslyze import (
    CertificateInfoExtraArgument, RobotScanResultEnum, ScanCommand, ScanCommandAttemptStatusEnum, ScanCommandsExtraArguments,
    Scanner, ServerNetworkConfiguration, ServerNetworkLocation, ServerScanRequest, TlsResumptionSupportEnum)
from sslyze.mozilla_tls_profile.tls_config_checker import (
    MozillaTlsConfiguration, ServerNotCompliantWithTlsConfiguration, TlsConfigurationEnum,
    check_server_against_tls_configuration)


def scan(address, authority):
    host, port = address.rsplit(":", 1)
    location = ServerNetworkLocation("localhost", int(port), ip_address=host)
    commands = set(ScanCommand) - {ScanCommand.HTTP_HEADERS}
    arguments = ScanCommandsExtraArguments(
        certificate_info=CertificateInfoExtraArgument(custom_ca_file=Path(authority).resolve()))
    scanner = Scanner()
    scanner.queue_scans([
        ServerScanRequest(
            location, ServerNetworkConfiguration("localhost"), scan_commands=commands,
            scan_commands_extra_arguments=arguments)])
    return next(iter(scanner.get_results()))


def findings(outcome):
    """Everything that is not as it should be, in words."""
    result = outcome.scan_result
    if result is None:
        yield f"no scan: {outcome.connectivity_error_trace}"
        return
    for command in ScanCommand:
        attempt = getattr(result, command.value)
        if command != ScanCommand.HTTP_HEADERS and attempt.status != ScanCommandAttemptStatusEnum.COMPLETED:
            yield f"{command.value} was not completed: {attempt.error_trace}"
            return
    for name in ["ssl_2_0", "ssl_3_0", "tls_1_0", "tls_1_1"]:
        for suite in getattr(result, f"{name}_cipher_suites").result.accepted_cipher_suites:
            yield f"{name} with {suite.cipher_suite.name}"
    for name in ["tls_1_2", "tls_1_3"]:
        suites = getattr(result, f"{name}_cipher_suites").result.accepted_cipher_suites
        if not suites:
            yield f"no {name}"
        for suite in suites:
            if suite.cipher_suite.key_size < 128 or "CBC" in suite.cipher_suite.name or suite.cipher_suite.is_anonymous:
                yield f"{name} with {suite.cipher_suite.name}"
    checks = {
        "compression": result.tls_compression.result.supports_compression,
        "early data": result.tls_1_3_early_data.result.supports_early_data,
        "injection of ChangeCipherSpec": result.openssl_ccs_injection.result.is_vulnerable_to_ccs_injection,
        "Heartbleed": result.heartbleed.result.is_vulnerable_to_heartbleed,
        "renegotiation by the client": result.session_renegotiation.result.is_vulnerable_to_client_renegotiation_dos,
        "no secure renegotiation": not result.session_renegotiation.result.supports_secure_renegotiation,
        "no TLS_FALLBACK_SCSV": not result.tls_fallback_scsv.result.supports_fallback_scsv,
        "no extended master secret": not result.tls_extended_master_secret.result.supports_ems_extension,
        "no resumption by tickets":
            result.session_resumption.result.tls_ticket_resumption_result != TlsResumptionSupportEnum.FULLY_SUPPORTED,
        "ROBOT": result.robot.result.robot_result not in (
            RobotScanResultEnum.NOT_VULNERABLE_NO_ORACLE, RobotScanResultEnum.NOT_VULNERABLE_RSA_NOT_SUPPORTED),
    }
    yield from (name for name, found in checks.items() if found)
    try:
        check_server_against_tls_configuration(
            outcome, MozillaTlsConfiguration.get(TlsConfigurationEnum("intermediate")))
    except ServerNotCompliantWithTlsConfiguration as error:
        for name, text in error.issues.items():
            # The stores of browsers do not know the certificate.
            if name != "certificate_path_validation":
                yield f"Mozilla, intermediate: {name}: {text}"


def main(address, authority):
    found = list(findings(scan(address, authority)))
    for text in found:
        print(text)
    print("nothing of weight found" if not found else f"{len(found)} findings")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
