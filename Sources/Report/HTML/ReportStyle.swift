import Formats

/// The report's style sheet. Colors are chosen for color-blind readers (they differ in lightness, too) and for contrast: text
/// 4.5 to 1 at least, shapes 3 to 1, on light and dark screens; paper is light.
enum ReportStyle {
  static let sheet: Markup = """
    :root {
      --page: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --grid: #e7ebef; --link: #0b5cad;
      --d0: #c9dff2; --d1: #9cc5e6; --d2: #66a5d5; --d3: #3a85c0; --d4: #1c64a3; --d5: #0a3f76;
      --median: #0a3f76; --inner: #7fb2dc; --outer: #d3e5f5; --dot: #1c64a3;
      --lost: #b42f0c; --late: #c98a00; --failed: #7b3f98; --rejected: #00716b; --missed: #6e7781; --interrupted: #3d444d;
      --stretch: #fff0d9; --note: #9a4d00;
    }
    @media screen and (prefers-color-scheme: dark) {
      :root {
        --page: #10151b; --ink: #e6eaef; --soft: #a4aeb9; --line: #3a434d; --grid: #232b34; --link: #7ab7f0;
        --d0: #17395a; --d1: #1f5485; --d2: #2f78b8; --d3: #559ed9; --d4: #8dc3ef; --d5: #d4eaff;
        --median: #d4eaff; --inner: #2f78b8; --outer: #1a3f62; --dot: #8dc3ef;
        --lost: #ff7a52; --late: #e8b23a; --failed: #c58be0; --rejected: #3fb8ae; --missed: #949eaa; --interrupted: #c9d1d9;
        --stretch: #3a2c12; --note: #f0a04b;
      }
    }
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; }
    body {
      margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto,
      "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif; overflow-wrap: anywhere;
    }
    main { max-width: 56rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
    h1 { font-size: 2.1rem; line-height: 1.15; letter-spacing: -0.015em; margin: 0.2rem 0 0.8rem; text-wrap: balance; }
    h2 { font-size: 1.45rem; line-height: 1.25; margin: 3.2rem 0 0.4rem; letter-spacing: -0.01em; }
    h3 { font-size: 1.02rem; margin: 2rem 0 0.1rem; }
    p { margin: 0.4rem 0 0.8rem; }
    a { color: var(--link); }
    small, .soft { color: var(--soft); font-size: 0.875rem; }
    small { display: block; font-size: 0.78rem; font-weight: 400; line-height: 1.3; }
    .eyebrow { color: var(--soft); font-weight: 600; margin: 0; }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    .finding { border-left: 0.3rem solid var(--lost); padding: 0.1rem 0 0.1rem 1rem; margin: 1.1rem 0; }
    .finding.over { border-color: var(--late); }
    .finding.better { border-color: var(--rejected); }
    .finding.provisional { border-left-style: dashed; }
    .finding h3 { margin: 0; font-size: 1.1rem; }
    .finding p { margin: 0.2rem 0 0; }
    table { overflow-wrap: break-word; border-collapse: collapse; width: 100%; margin: 0.8rem 0; font-variant-numeric: tabular-nums; line-height: 1.35; }
    th, td { padding: 0.45rem 0.6rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--line); }
    th:first-child, td:first-child { padding-left: 0; text-align: left; }
    th:last-child, td:last-child { padding-right: 0; }
    thead th { color: var(--soft); font-size: 0.82rem; font-weight: 600; vertical-align: bottom; }
    tbody th { font-weight: 600; }
    .overview tbody th, .events td:nth-child(2), .events td.text { overflow-wrap: anywhere; }
    .events td.text { width: 45%; }
    .events time { white-space: nowrap; }
    .figures tbody th { white-space: nowrap; }
    td.text, .events td, .events thead th { text-align: left; }
    .events td:nth-child(3) { text-align: right; }
    .events td, .events th { font-size: 0.875rem; }
    dl { margin: 0.8rem 0; }
    dt { font-weight: 600; margin-top: 0.8rem; }
    dd { margin: 0; }
    figure { margin: 2rem 0 2.4rem; }
    figcaption h3 { margin: 0; }
    figcaption p { margin: 0.1rem 0 0.7rem; color: var(--soft); font-size: 0.875rem; }
    .plot {
      display: grid; grid-template: auto auto 1.4rem / 3.6rem minmax(0, 1fr); font-size: 0.78rem; color: var(--soft);
      font-variant-numeric: tabular-nums; line-height: 1;
    }
    .wide-labels .plot { grid-template-columns: 6rem minmax(0, 1fr); }
    .plot svg { grid-area: 2 / 2; width: 100%; height: calc(var(--h) * 1.3); display: block; overflow: visible; }
    .ys, .xs, .ts { position: relative; }
    .ys { grid-area: 2 / 1; }
    .xs { grid-area: 3 / 2; }
    .ts { grid-area: 1 / 2; height: 1.2rem; }
    .tick { position: absolute; white-space: nowrap; }
    .ys .tick { right: 0.5rem; transform: translateY(50%); }
    .xs .tick, .ts .tick { transform: translateX(-50%); }
    .xs .tick { top: 0.45rem; }
    .xs .first, .ts .first { transform: none; }
    .xs .last, .ts .last { transform: translateX(-100%); }
    svg path { fill: none; stroke: none; vector-effect: non-scaling-stroke; }
    svg .grid { stroke: var(--grid); stroke-width: 1; }
    svg .d0 { fill: var(--d0); } svg .d1 { fill: var(--d1); } svg .d2 { fill: var(--d2); }
    svg .d3 { fill: var(--d3); } svg .d4 { fill: var(--d4); } svg .d5 { fill: var(--d5); }
    svg .outer { fill: var(--outer); } svg .inner { fill: var(--inner); }
    svg .median { stroke: var(--median); stroke-width: 2; stroke-linejoin: round; }
    svg .bar { fill: var(--d3); } svg .interval { fill: var(--stretch); }
    svg .quantile { stroke: var(--note); stroke-width: 1.5; }
    svg .stretch { fill: var(--stretch); } svg .note { stroke: var(--note); stroke-width: 1.5; stroke-dasharray: 4 3; }
    svg .gone { fill: var(--lost); } svg .faint { fill-opacity: .3; } svg .event { fill: var(--d3); } svg .trouble { fill: var(--lost); }
    svg .named path { stroke: var(--dot); stroke-width: 5; stroke-linecap: round; }
    svg .late path { stroke: var(--late); } svg .gone path { stroke: var(--lost); }
    svg .named path.near { stroke: var(--ink); stroke-width: 9; }
    svg .s-lost { fill: var(--lost); } svg .s-late { fill: var(--late); } svg .s-failed { fill: var(--failed); }
    svg .s-rejected { fill: var(--rejected); } svg .s-missed { fill: var(--missed); }
    svg .s-interrupted { fill: var(--interrupted); }
    .item { white-space: nowrap; margin-right: 0.5rem; }
    .key { display: inline-block; width: 0.8em; height: 0.8em; margin: 0 0.3em -0.05em 0.2em; border-radius: 0.15em; }
    .key.median { height: 0.2em; margin-bottom: 0.25em; background: var(--median); }
    .key.inner { background: var(--inner); } .key.outer { background: var(--outer); }
    .key.s-lost { background: var(--lost); } .key.s-late { background: var(--late); }
    .key.s-failed { background: var(--failed); } .key.s-rejected { background: var(--rejected); }
    .key.s-missed { background: var(--missed); } .key.s-interrupted { background: var(--interrupted); }
    #tip {
      position: absolute; pointer-events: none; background: var(--ink); color: var(--page); font-size: 0.8rem; line-height: 1.2;
      padding: 0.3rem 0.5rem; border-radius: 0.3rem; max-width: 18rem;
    }
    @media (max-width: 40rem) {
      main { padding: 1.2rem 1rem 3rem; }
      h1 { font-size: 1.6rem; }
      h2 { font-size: 1.3rem; margin-top: 2.4rem; }
      th, td { padding: 0.4rem 0.2rem; font-size: 0.85rem; }
      small { font-size: 0.72rem; }
      .minor { display: none; }
      .plot { grid-template-columns: 3.1rem minmax(0, 1fr); font-size: 0.72rem; }
      .wide-labels .plot { grid-template-columns: 5.2rem minmax(0, 1fr); }
      .plot svg { height: var(--h); }
      .overview tr, .figures tr { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); border-bottom: 1px solid var(--line); }
      .legs tr { grid-template-columns: repeat(4, minmax(0, 1fr)); }
      .overview th, .overview td, .figures th, .figures td { border: 0; padding: 0.15rem 0.4rem 0.4rem 0; text-align: left; }
      .overview thead th:first-child, .figures:not(.shares) thead th:first-child { display: none; }
      .overview tbody th, .figures tbody th { grid-column: 1 / -1; padding-top: 0.5rem; padding-bottom: 0; }
      .overview tbody th small { display: inline; }
      .events, .events tbody, .events tr, .events td, .events th { display: block; text-align: left !important; }
      .events thead { display: none; }
      .events tr { border-bottom: 1px solid var(--line); padding: 0.4rem 0; }
      .events td, .events th { border: 0; padding: 0; display: inline; margin-right: 0.6em; }
      .events td[data-name]::before { content: attr(data-name) " "; color: var(--soft); }
    }
    @media print {
      @page { margin: 16mm 14mm; }
      * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
      html { font-size: 9.5pt; }
      figure { margin: 1.2rem 0 1.4rem; }
      h3 { margin-top: 1.2rem; }
      .figures, .overview { break-inside: avoid; }
      main { max-width: none; padding: 0; }
      h2 { margin-top: 2rem; }
      h2, h3, h2 + p, h3 + p, figcaption, thead, dt { break-after: avoid; }
      figure, tr, .finding, dt { break-inside: avoid; }
      .plot svg { height: calc(var(--h) * 0.95); }
      a { color: inherit; text-decoration: none; }
    }

    """
}

/// Names the dot that the pointer is near. The only script of the report, and the only one that its policy lets run: the page
/// is whole without it.
enum ReportScript {
  static let source: Markup = """
    (() => {
      let tip = null, near = null;
      const clear = () => { if (tip) tip.remove(); if (near) near.classList.remove("near"); tip = near = null; };
      const show = (event) => {
        const svg = event.target.closest ? event.target.closest("svg") : null;
        if (!svg) return clear();
        let best = null, distance = 14;
        for (const dot of svg.querySelectorAll(".named path")) {
          const box = dot.getBoundingClientRect();
          const away = Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
          if (away < distance) { distance = away; best = dot; }
        }
        if (best === near) return;
        clear();
        if (!best) return;
        near = best;
        near.classList.add("near");
        tip = document.createElement("div");
        tip.id = "tip";
        tip.textContent = best.textContent;
        document.body.append(tip);
        const left = Math.min(event.pageX + 12, document.documentElement.clientWidth - tip.offsetWidth - 8);
        tip.style.left = Math.max(8, left) + "px";
        tip.style.top = event.pageY - tip.offsetHeight - 12 + "px";
      };
      addEventListener("pointermove", show);
      addEventListener("pointerdown", show);
    })();
    """

  /// SHA-256 of ``source`` as UTF-8, base64 (Content Security Policy Level 3, 2.3.1).
  static let hash = "e3sPKoZ/q0b0jNDZDZ4/dZqEfEz1CHJ+Hzw1PuHcpgk="

  /// Nothing is loaded from anywhere, and no other script runs.
  static let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\(hash)'"
}
