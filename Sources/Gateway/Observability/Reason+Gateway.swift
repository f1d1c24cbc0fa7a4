import Model

/// The reasons that this target declares.
extension Reason {
    // Requests that were served
    package static var allowed: Reason { .served("allowed") }
    package static var noIcon: Reason { .served("no_icon") }
    package static var health: Reason { .served("health") }
    package static var readiness: Reason { .served("readiness") }
    package static var metrics: Reason { .served("metrics") }
    package static var redirected: Reason { .served("redirected") }
    package static var responded: Reason { .served("responded") }
    package static var forwardAuthAllowed: Reason { .served("forward_auth_allowed") }

    // Refused for limits or load
    package static var rateLimited: Reason { Reason("rate_limited", 429) }
    package static var overloaded: Reason { Reason("overloaded", 503) }
    package static var decisionTimeout: Reason { Reason("decision_timeout", 503) }
    package static var bodyTimeout: Reason { Reason("body_timeout", 408) }
    package static var headerTimeout: Reason { Reason("header_timeout", 408) }
    package static var malformedBody: Reason { Reason("malformed_body", 400) }
    package static var unknownHost: Reason { Reason("unknown_host", 421) }
    package static var upgradeRefused: Reason { Reason("upgrade_refused", 501) }

    // Failed at the upstream or its token
    package static var upstreamConnectFailed: Reason { Reason("upstream_connect_failed", 502) }
    package static var upstreamConnectTimeout: Reason { Reason("upstream_connect_timeout", 504) }
    package static var upstreamTLSFailed: Reason { Reason("upstream_tls_failed", 502) }
    package static var upstreamConnectionLost: Reason { Reason("upstream_connection_lost", 502) }
    package static var upstreamResponseTimeout: Reason { Reason("upstream_response_timeout", 504) }
    package static var upstreamInvalidResponse: Reason { Reason("upstream_invalid_response", 502) }
    package static var upstreamExhausted: Reason { Reason("upstream_exhausted", 503) }
    package static var upstreamQueueTimeout: Reason { Reason("upstream_queue_timeout", 503) }
    package static var upstreamUnavailable: Reason { Reason("upstream_unavailable", 503) }
    package static var upstreamAuthFailed: Reason { Reason("upstream_auth_failed", 502) }
    package static var upstreamAuthRequired: Reason { Reason("upstream_auth_required", 503) }

    // Ended early (access log only)
    package static var memoryExhausted: Reason { Reason("memory_exhausted", 499) }
    package static var clientClosed: Reason { Reason("client_closed", 499) }
    package static var clientReset: Reason { Reason("client_reset", 499) }
    package static var clientWriteTimeout: Reason { Reason("client_write_timeout", 0) }
    package static var tunnelExpired: Reason { Reason("tunnel_expired", 0) }
    package static var tunnelRevoked: Reason { Reason("tunnel_revoked", 0) }
    package static var tunnelRefused: Reason { Reason("tunnel_refused", 0) }
    package static var tunnelIdle: Reason { Reason("tunnel_idle", 0) }
    package static var tunnelDrained: Reason { Reason("tunnel_drained", 0) }
    package static var eventStreamExpired: Reason { Reason("event_stream_expired", 0) }
    package static var eventStreamRevoked: Reason { Reason("event_stream_revoked", 0) }
    package static var eventStreamRefused: Reason { Reason("event_stream_refused", 0) }
    package static var eventStreamIdle: Reason { Reason("event_stream_idle", 0) }
    package static var eventStreamDrained: Reason { Reason("event_stream_drained", 0) }

    // Administration
    package static var unavailable: Reason { Reason("unavailable", 503) }

    // Invalid HTTP
    package static var malformedRequestLine: Reason { Reason("malformed_request_line", 400) }
    package static var methodTooLong: Reason { Reason("method_too_long", 501) }
    package static var malformedTarget: Reason { Reason("malformed_target", 400) }
    package static var targetTooLong: Reason { Reason("target_too_long", 414) }
    package static var malformedVersion: Reason { Reason("malformed_version", 400) }
    package static var unsupportedVersion: Reason { Reason("unsupported_version", 505) }
    package static var connectUnsupported: Reason { Reason("connect_unsupported", 501) }
    package static var malformedStatusLine: Reason { Reason("malformed_status_line", 400) }
    package static var headTooLarge: Reason { Reason("head_too_large", 431) }
    package static var tooManyFields: Reason { Reason("too_many_fields", 431) }
    package static var malformedFieldName: Reason { Reason("malformed_field_name", 400) }
    package static var spaceBeforeColon: Reason { Reason("space_before_colon", 400) }
    package static var obsoleteFold: Reason { Reason("obsolete_fold", 400) }
    package static var malformedFieldValue: Reason { Reason("malformed_field_value", 400) }
    package static var bareCarriageReturn: Reason { Reason("bare_carriage_return", 400) }
    package static var bareLineFeed: Reason { Reason("bare_line_feed", 400) }
    package static var missingHost: Reason { Reason("missing_host", 400) }
    package static var duplicateHost: Reason { Reason("duplicate_host", 400) }
    package static var malformedHost: Reason { Reason("malformed_host", 400) }
    package static var unknownExpectation: Reason { Reason("unknown_expectation", 417) }
    package static var tooManyConnectionOptions: Reason { Reason("too_many_connection_options", 431) }
    package static var malformedContentLength: Reason { Reason("malformed_content_length", 400) }
    package static var duplicateContentLength: Reason { Reason("duplicate_content_length", 400) }
    package static var lengthWithTransferEncoding: Reason { Reason("length_with_transfer_encoding", 400) }
    package static var malformedTransferEncoding: Reason { Reason("malformed_transfer_encoding", 400) }
    package static var unknownTransferCoding: Reason { Reason("unknown_transfer_coding", 501) }
    package static var transferEncodingOnHTTP10: Reason { Reason("transfer_encoding_on_http10", 400) }
    package static var framingAlias: Reason { Reason("framing_alias", 400) }
    package static var malformedChunkSize: Reason { Reason("malformed_chunk_size", 400) }
    package static var malformedChunkExtension: Reason { Reason("malformed_chunk_extension", 400) }
    package static var malformedChunkEnd: Reason { Reason("malformed_chunk_end", 400) }
    package static var malformedTrailer: Reason { Reason("malformed_trailer", 400) }
    package static var trailerTooLarge: Reason { Reason("trailer_too_large", 431) }

    // Failed connections (no request)
    package static var tlsProtocolError: Reason { Reason("tls_protocol_error", 0) }
    package static var tlsNoSharedCipher: Reason { Reason("tls_no_shared_cipher", 0) }
    package static var tlsNoApplicationProtocol: Reason { Reason("tls_no_application_protocol", 0) }
    package static var tlsUnsupportedVersion: Reason { Reason("tls_unsupported_version", 0) }
    package static var tlsCertificateRequired: Reason { Reason("tls_certificate_required", 0) }
    package static var tlsCertificateInvalid: Reason { Reason("tls_certificate_invalid", 0) }
    package static var tlsHostMismatch: Reason { Reason("tls_host_mismatch", 0) }
    package static var tlsNotTLS: Reason { Reason("tls_not_tls", 0) }
    package static var tlsRefusedByPeer: Reason { Reason("tls_refused_by_peer", 0) }
    package static var tlsFlood: Reason { Reason("tls_flood", 0) }
    package static var tlsClosed: Reason { Reason("tls_closed", 0) }
    package static var tlsInternal: Reason { Reason("tls_internal", 0) }
    package static var notHTTP2: Reason { Reason("not_http2", 0) }
    package static var h2ProtocolError: Reason { Reason("h2_protocol_error", 0) }
    package static var h2FrameSize: Reason { Reason("h2_frame_size", 0) }
    package static var h2FlowControl: Reason { Reason("h2_flow_control", 0) }
    package static var h2Compression: Reason { Reason("h2_compression", 0) }
    package static var h2StreamClosed: Reason { Reason("h2_stream_closed", 0) }
    package static var h2BlockTooLarge: Reason { Reason("h2_block_too_large", 0) }
    package static var h2ContinuationFlood: Reason { Reason("h2_continuation_flood", 0) }
    package static var h2ResetFlood: Reason { Reason("h2_reset_flood", 0) }
    package static var h2ProvokedResetFlood: Reason { Reason("h2_provoked_reset_flood", 0) }
    package static var h2SettingsFlood: Reason { Reason("h2_settings_flood", 0) }
    package static var h2PingFlood: Reason { Reason("h2_ping_flood", 0) }
    package static var h2EmptyFrameFlood: Reason { Reason("h2_empty_frame_flood", 0) }
    package static var h2WindowUpdateFlood: Reason { Reason("h2_window_update_flood", 0) }
    package static var h2PriorityFlood: Reason { Reason("h2_priority_flood", 0) }
    package static var h2QueueFlood: Reason { Reason("h2_queue_flood", 0) }
    package static var h2InternalError: Reason { Reason("h2_internal_error", 0) }
    package static var h2Disconnected: Reason { Reason("h2_disconnected", 0) }

    /// Whether a route without an upstream has answered, or a listener without routes.
    var isOfRoute: Bool { self == .redirected || self == .responded }
}
