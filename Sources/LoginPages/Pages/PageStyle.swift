import Bytes
import Crypto
import Model

/// The style of all pages in one pair of colours.
struct PageStyle: Sendable {
    let text: String
    /// The source expression for the policy of pages, which allows this style alone.
    let source: String

    /// - Parameter accent: the operator's colour, whose contrast with white is sufficient; nil for the gateway's own.
    init(accent: PageColor?) {
        // Dark pages have a lighter shade, which is text and background alike: dark text on it has the same contrast.
        let dark = accent?.mixed(with: .white, until: PageStyle.contrastAtNight, on: .night)
        text = PageStyle.css(light: accent?.description ?? "#0b57d0", dark: dark?.description ?? "#a8c7fa")
        source = PageStyle.source(of: text)
    }

    /// Contrast of the operator's colour on dark pages, above the lowest one, since thin light text spreads.
    private static let contrastAtNight = 7.0

    /// The source expression for inline text (CSP 3 section 2.3.1).
    static func source(of text: String) -> String {
        let digest = DigestAlgorithm.sha256.digest(Array(text.utf8).span)
        return "'sha256-\(String(decoding: Base64.encode(digest.span, .standard), as: UTF8.self))'"
    }

    /// Sides are named by the direction of the text, so that pages in Arabic or Hebrew are mirrored.
    private static func css(light: String, dark: String) -> String {
        """

        :root { color-scheme: light dark; --page: \(PageColor.white); --text: #1f1f1f; --accent: \(light); --wrong: #b3261e;
          --line: #767676; --edge: #d0d3d6; }
        @media (prefers-color-scheme: dark) { :root { --page: \(PageColor.night); --text: #e3e3e3; --accent: \(dark);
          --wrong: #f2b8b5; --line: #8e918f; --edge: #44474a; } }
        * { box-sizing: border-box; }
        body { margin: 0; min-block-size: 100dvh; background: var(--page); color: var(--text); display: grid;
          grid-template-rows: 1fr auto; justify-items: center; font: 100%/1.5 system-ui, sans-serif; }
        main { inline-size: min(24rem, 100vw); padding: 1.5rem; align-self: center; }
        @media (min-width: 30rem) { main { inline-size: 26rem; margin-block: 1rem; padding: 2rem;
          border: 1px solid var(--edge); border-radius: .75rem; } }
        h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; text-wrap: balance; }
        .brand { margin: 0 0 1.5rem; font-weight: 600; overflow-wrap: anywhere; }
        .brand img { display: block; max-inline-size: 100%; max-block-size: 4rem; inline-size: auto; block-size: auto; }
        label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
        input, textarea { inline-size: 100%; padding: .625rem; font: inherit; color: inherit; background: var(--page);
          border: 1px solid var(--line); border-radius: .375rem; }
        textarea { font-family: ui-monospace, monospace; font-size: .875rem; word-break: break-all; resize: vertical; }
        input[type=checkbox] { inline-size: 1.5rem; block-size: 1.5rem; margin: 0; accent-color: var(--accent); }
        a { color: var(--accent); }
        button { inline-size: 100%; margin-block-start: 1.5rem; padding: .75rem; font: inherit; font-weight: 600; border: 0;
          border-radius: .375rem; background: var(--accent); color: var(--page); cursor: pointer; }
        button.second { margin-block-start: .75rem; border: 1px solid var(--line); background: var(--page);
          color: var(--accent); }
        ul { margin: 0; padding: 0; list-style: none; }
        li a { display: block; margin-block-start: .75rem; padding: .75rem; border: 1px solid var(--line);
          border-radius: .375rem; font-weight: 600; text-align: center; text-decoration: none; overflow-wrap: anywhere; }
        li a:hover { border-color: var(--accent); text-decoration: underline; }
        footer { padding: 1rem 1.5rem 1.5rem; font-size: .875rem; }
        footer a { display: inline-block; padding: .25rem .5rem; }
        .show, .shown { display: none; }
        @supports selector(:has(*)) { .show { display: flex; align-items: center; gap: .5rem; margin-block-start: .75rem; }
          .show label { margin: 0; font-weight: 400; }
          form:has(#show:checked) .typed { display: none; }
          form:has(#show:checked) .shown { display: block; } }
        [aria-invalid=true] { border-color: var(--wrong); border-width: 2px; }
        code { overflow-wrap: anywhere; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        [role=alert] { margin: 0 0 1rem; padding: .75rem; border-inline-start: .25rem solid var(--wrong);
          color: var(--wrong); }

        """
    }
}
