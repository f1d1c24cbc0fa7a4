// libnghttp2. What of its unions and structures Swift would have to take apart with unsafe code stands below as inline
// functions.
#pragma once
#include <nghttp2/nghttp2.h>

// What HTTP needs to know of a frame that was received or sent.
typedef struct {
    size_t length;
    int32_t stream;
    uint32_t code; // of RST_STREAM and GOAWAY
    uint8_t type;
    uint8_t flags;
} cnghttp2_frame_summary;

static inline cnghttp2_frame_summary cnghttp2_summary(const nghttp2_frame *frame) {
    cnghttp2_frame_summary summary = {frame->hd.length, frame->hd.stream_id, 0, frame->hd.type, frame->hd.flags};
    if (frame->hd.type == NGHTTP2_RST_STREAM) summary.code = frame->rst_stream.error_code;
    if (frame->hd.type == NGHTTP2_GOAWAY) summary.code = frame->goaway.error_code;
    return summary;
}

// The options of every session. nghttp2_option_del frees the answer; NULL when out of memory.
static inline nghttp2_option *cnghttp2_options(size_t header_table_size, size_t outbound_acks) {
    nghttp2_option *option = NULL;
    if (nghttp2_option_new(&option)) return NULL;
    // Credit is given when a body has been passed on, not when it has come in.
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_max_deflate_dynamic_table_size(option, header_table_size);
    nghttp2_option_set_max_outbound_ack(option, outbound_acks);
    return option;
}

// Streams of a server share the connection in turns, whatever the client would have: a priority of RFC 9218 that is
// incremental, the same for all.
static inline int cnghttp2_share_evenly(nghttp2_session *session, int32_t stream) {
    nghttp2_extpri priority = {NGHTTP2_EXTPRI_DEFAULT_URGENCY, 1};
    return nghttp2_session_change_extpri_stream_priority(session, stream, &priority, 1);
}
