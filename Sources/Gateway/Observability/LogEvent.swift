import Model

/// An event of the event log, by the name in its line.
package enum LogEvent: String, Sendable, CaseIterable {
    case accountRestored = "account_restored"
    case accountWithdrawn = "account_withdrawn"
    case assertionReloadFailed = "assertion_reload_failed"
    case audit
    case certificateFailed = "certificate_failed"
    case certificateObtained = "certificate_obtained"
    case clientFailed = "client_failed"
    case clockCorrectionRefused = "clock_correction_refused"
    case clockCorrected = "clock_corrected"
    case configurationError = "configuration_error"
    case configurationNote = "configuration_note"
    case configurationWarning = "configuration_warning"
    case connectionFailed = "connection_failed"
    case denyEntriesSkipped = "deny_entries_skipped"
    case draining
    case handedOver = "handed_over"
    case handingOver = "handing_over"
    case handoverFailed = "handover_failed"
    case handoverIgnored = "handover_ignored"
    case issuerFailed = "issuer_failed"
    case issuerLeftAlone = "issuer_left_alone"
    case issuerRecovered = "issuer_recovered"
    case keysFailed = "keys_failed"
    case keysFetched = "keys_fetched"
    case listenFailed = "listen_failed"
    case listening
    case loginHostForeign = "login_host_foreign"
    case notReady = "not_ready"
    case providerLoginFailed = "provider_login_failed"
    case providerRevocationFailed = "provider_revocation_failed"
    case providerTokenRevoked = "provider_token_revoked"
    case ready
    case reloadFailed = "reload_failed"
    case reloadIgnored = "reload_ignored"
    case reloaded
    case revocationFailed = "revocation_failed"
    case revocationsRestored = "revocations_restored"
    case revoked
    case serverDown = "server_down"
    case serverUp = "server_up"
    case signingKeyActivated = "signing_key_activated"
    case signingKeyPublished = "signing_key_published"
    case signingKeyRemoved = "signing_key_removed"
    case signingKeysFailed = "signing_keys_failed"
    case startFailed = "start_failed"
    case stopped
    case storeAvailable = "store_available"
    case storeFileAmended = "store_file_amended"
    case storeFileFailed = "store_file_failed"
    case storeFileLost = "store_file_lost"
    case storeFileRestored = "store_file_restored"
    case storeServerConnected = "store_server_connected"
    case storeServerLost = "store_server_lost"
    case storeServerRefused = "store_server_refused"
    case storeUnavailable = "store_unavailable"
    case storeWriteFailed = "store_write_failed"
    case storeWriteRestored = "store_write_restored"
    case watchFailed = "watch_failed"
    case workerFailed = "worker_failed"

    /// What the reference says about an event.
    package struct Description: Sendable {
        package let level: LogLevel
        /// Names of the members beside `time`, `level` and `event`; events have those that apply.
        package let fields: [String]
        /// In Markdown.
        package let meaning: String

        fileprivate init(_ level: LogLevel, _ fields: String, _ meaning: String) {
            self.level = level
            self.fields = fields.split(separator: " ").map(String.init)
            self.meaning = meaning
        }
    }

    package var declaration: Description {
        switch self {
        case .accountRestored:
            Description(
                .info, "kind holder",
                "What another gateway had withdrawn is valid again.")
        case .accountWithdrawn:
            Description(
                .info, "kind holder",
                "Another gateway with the same store has taken away an account, a credential or a right.")
        case .assertionReloadFailed:
            Description(
                .warning, "source detail",
                "Policies or certificates of token exchange cannot be read. The last valid ones stay in use.")
        case .audit:
            Description(
                .info,
                "action outcome reason detail subject client_id request_id client_ip token_id replaces object by roles_given roles_taken realm caller user",
                "A change by an administrator or an application, or an attempt. Written regardless of `log.level`.")
        case .certificateFailed:
            Description(
                .warning, "names detail retry_seconds",
                """
                A certificate cannot be had from the authority of `acme`, or its files or the store cannot be used. The one before it \
                stays in use.
                """)
        case .certificateObtained:
            Description(
                .info, "names until",
                "The authority of `acme` has issued a certificate, valid until this second.")
        case .clientFailed:
            Description(
                .debug, "client_ip reason detail",
                "A client connection ended during the TLS handshake or by an HTTP/2 error.")
        case .clockCorrectionRefused:
            Description(
                .warning, "milliseconds",
                "The clock of the store differs too much to be followed.")
        case .clockCorrected:
            Description(
                .info, "milliseconds",
                "The clock now follows the clock of the store.")
        case .configurationError:
            Description(
                .error, "file line pointer detail",
                "An error in the configuration: the gateway does not start with it, or a reload does not use it.")
        case .configurationNote:
            Description(
                .info, "file line pointer detail",
                "The configuration works as written, perhaps with less effect than expected.")
        case .configurationWarning:
            Description(
                .warning, "file line pointer detail",
                "The configuration works, but perhaps not as intended.")
        case .connectionFailed:
            Description(
                .warning, "purpose upstream url address step reason repeated",
                """
                Another server was not reached (`step` is `resolve`, `connect` or `tls`), or has not answered as it must \
                (`request`). `purpose` is `upstream`, `check`, `store` or `call`. The same failure is written once a minute; \
                `repeated` counts those in between.
                """)
        case .denyEntriesSkipped:
            Description(
                .error, "store kind count sequence",
                "Entries of the store's deny list that this version cannot read were skipped. Written once a minute at most."
            )
        case .draining:
            Description(
                .info, "",
                "The process finishes active requests and accepts no new connections.")
        case .handedOver:
            Description(
                .info, "successor",
                "The successor serves, and this process ends.")
        case .handingOver:
            Description(
                .info, "successor",
                "A new process has been started with the listening sockets.")
        case .handoverFailed:
            Description(
                .error, "reason",
                "The successor did not become ready. This process keeps serving.")
        case .handoverIgnored:
            Description(
                .warning, "reason",
                "A hand-over was requested at a time when none can start.")
        case .issuerFailed:
            Description(
                .warning, "issuer reason detail",
                "An issuer of upstream tokens failed.")
        case .issuerLeftAlone:
            Description(
                .warning, "issuer reason detail",
                "The circuit breaker of an issuer of upstream tokens opened.")
        case .issuerRecovered:
            Description(
                .info, "issuer",
                "An issuer of upstream tokens works again.")
        case .keysFailed:
            Description(
                .warning, "issuer reason detail has_keys",
                "The published keys of an issuer cannot be fetched.")
        case .keysFetched:
            Description(
                .info, "issuer keys removed ignored",
                "The published keys of an issuer have changed.")
        case .listenFailed:
            Description(
                .error, "worker address detail",
                "A worker cannot listen on a socket.")
        case .listening:
            Description(
                .info, "listener address",
                "A listener accepts connections.")
        case .loginHostForeign:
            Description(
                .warning, "host base_url status request_id repeated",
                "A login began under a host of neither `baseUrl` nor `additionalBaseUrls`: the browser was sent to `baseUrl` (302), or told so (421). A proxy in front may have changed `Host`. A host is named once a minute; `repeated` counts those in between."
            )
        case .notReady:
            Description(
                .info, "version workers engine pid reason",
                "The gateway should get no requests; `/readyz` responds 503.")
        case .providerLoginFailed:
            Description(
                .warning, "provider reason detail request_id",
                "A login at an identity provider failed.")
        case .providerRevocationFailed:
            Description(
                .warning, "provider reason detail",
                "A token was not revoked at its identity provider at logout.")
        case .providerTokenRevoked:
            Description(
                .info, "provider",
                "A token was revoked at its identity provider at logout.")
        case .ready:
            Description(
                .info, "version workers engine pid",
                "The gateway accepts requests; `/readyz` responds 200.")
        case .reloadFailed:
            Description(
                .error, "generation detail",
                "The new configuration is invalid, or too many changes wait. The active configuration stays.")
        case .reloadIgnored:
            Description(
                .warning, "section keys detail",
                "Changed keys that apply at the next start only.")
        case .reloaded:
            Description(
                .info, "generation",
                "A new configuration is active.")
        case .revocationFailed:
            Description(
                .error, "token_id subject client issuer account reason",
                "The store did not accept a revocation. This process applies it.")
        case .revocationsRestored:
            Description(
                .info, "count",
                "Revocations that the store had lost were written to it again.")
        case .revoked:
            Description(
                .info, "token_id subject client issuer account",
                "Tokens were revoked through the admin listener.")
        case .serverDown:
            Description(
                .warning, "upstream server",
                "A health check of a server of an upstream fails.")
        case .serverUp:
            Description(
                .info, "upstream server",
                "A server of an upstream passes its health check again.")
        case .signingKeyActivated:
            Description(
                .info, "kid",
                "A signing key of the gateway is now in use.")
        case .signingKeyPublished:
            Description(
                .info, "kid",
                "A future signing key of the gateway is now published.")
        case .signingKeyRemoved:
            Description(
                .info, "kid",
                "A signing key of the gateway is no longer published.")
        case .signingKeysFailed:
            Description(
                .warning, "detail",
                "The signing keys of the gateway cannot be read or rotated.")
        case .startFailed:
            Description(
                .error, "detail",
                "The process ends, because it cannot start: a socket, a log file or the event loop cannot be opened.")
        case .stopped:
            Description(
                .info, "requests",
                "The process ends. Only `portcullis echo` has `requests`.")
        case .storeAvailable:
            Description(
                .info, "store",
                "The store of tokens responds again.")
        case .storeFileAmended:
            Description(
                .info, "path revocations",
                "Deny entries that another program had removed from the file of the store were added again.")
        case .storeFileFailed:
            Description(
                .warning, "path reason",
                "The file of the store cannot be restored. Retried every second.")
        case .storeFileLost:
            Description(
                .warning, "path reason",
                "The file of the store was removed, replaced or overwritten.")
        case .storeFileRestored:
            Description(
                .info, "path contents",
                "The file of the store was written again.")
        case .storeServerConnected:
            Description(
                .info, "worker server",
                "A worker is connected to the server of the store.")
        case .storeServerLost:
            Description(
                .warning, "worker server reason",
                "A worker lost its connection to the server of the store.")
        case .storeServerRefused:
            Description(
                .warning, "worker server reason detail",
                "The server of the store refuses commands.")
        case .storeUnavailable:
            Description(
                .error, "store bearer reason",
                "The store of tokens does not respond, or with what cannot be read; `store.whenUnavailable` applies.")
        case .storeWriteFailed:
            Description(
                .warning, "store reason",
                "The store of tokens accepts no changes.")
        case .storeWriteRestored:
            Description(
                .info, "store",
                "The store of tokens accepts changes again.")
        case .watchFailed:
            Description(
                .warning, "detail",
                "Files are not watched until the next reload.")
        case .workerFailed:
            Description(
                .error, "worker detail",
                "A worker cannot start.")
        }
    }
}
