import { css, unsafeCSS } from 'lit';

/** The width of a figure, in CSS pixels, from which on the texts are beside the picture. */
export const BESIDE = 832;

/** The picture stays while the steps' texts scroll beside it, or in narrow figures below it. */
export const followStyles = css`
  .samples {
    display: flex;
    gap: 0.375rem;
    margin: calc(0.5rem - 3px) -3px -3px;
    padding: 3px;
    font-size: 0.75rem;
    overflow-x: auto;
  }
  .samples button {
    border-color: var(--_line);
    border-radius: 1rem;
    white-space: nowrap;
  }
  .beside > * + * {
    margin-top: var(--_apart);
  }
  .board,
  .parts {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.375rem;
    align-self: start;
  }
  .steps {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.75rem;
    align-content: start;
  }
  @container (min-width: ${unsafeCSS(BESIDE)}px) {
    .beside {
      display: grid;
      grid-template-columns: minmax(0, 1.4fr) minmax(0, 1fr);
      grid-template-rows: auto 1fr;
      gap: 0 2rem;
    }
    .samples {
      flex-wrap: wrap;
    }
    .board {
      position: sticky;
      top: var(--figure-top, 0);
      grid-area: 1 / 1 / 3 / 2;
      margin: 0;
    }
    .given,
    .texts {
      grid-column: 2;
    }
    .step {
      padding-block: 0.25rem;
    }
    /* A figure alone has room for the text of one step. */
    :host(:fullscreen) {
      --figure-others: none;
    }
    .step:not(.current) {
      display: var(--figure-others, block);
    }
  }
  /* The parts have one place, where the one that the text is about is shown; a saved picture has all of them. */
  :host([whole]) .board {
    position: static;
  }
  @media print {
    .board {
      position: static;
    }
    .draw {
      display: none;
    }
  }
  @media screen {
    @container (max-width: ${unsafeCSS(BESIDE - 0.01)}px) {
      :host(:not([whole])) .board {
        position: sticky;
        z-index: 1;
        top: var(--figure-top, 0);
        max-height: 66vh;
        margin-inline: -2px;
        padding: 0.5rem 2px;
        border-bottom: 1px solid var(--_track);
        background: var(--_paper);
        overflow: hidden auto;
      }
      :host(:not([whole])) .numbers {
        display: flex;
      }
      :host(:not([whole])) .parts > * {
        --_badge: 0;

        grid-area: 1 / 1;
        align-self: start;
      }
      :host(:not([whole])) .parts .badge {
        display: none;
      }
      :host(:not([whole])) .parts > :not(.shown) {
        visibility: hidden;
      }
      .step {
        min-height: 12vh;
      }
      /* What gets the focus is below the picture with its padding; nothing sticks to the window's bottom. */
      .beside {
        --_covered: 0px;
      }
      .step * {
        scroll-margin-top: calc(66vh + 1.5rem);
      }
    }
  }
  .sentence {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 0.375rem;
  }
  .sentence button,
  .heads button {
    min-width: 1.5rem;
    padding: 0 0.4rem;
    border-color: var(--_line);
    font-size: 0.9375rem;
  }
  .sentence .joined {
    margin-inline-start: calc(-0.375rem - 1px);
    border-start-start-radius: 0;
    border-end-start-radius: 0;
  }
  .sentence [aria-checked='true'] {
    border-color: var(--_accent);
    background: var(--_accent);
    color: var(--_paper);
  }
  .board :is(.readout, .controls) {
    min-height: 2.9em;
    margin: 0;
  }
  .badge {
    box-sizing: border-box;
    display: inline-grid;
    flex: none;
    place-content: center;
    width: 1.5rem;
    min-height: 1.5rem;
    padding: 0;
    border: 1px solid var(--_track);
    border-radius: 50%;
    color: var(--_quiet);
    font-size: 0.75rem;
    font-weight: 600;
  }
  .numbers {
    display: none;
    gap: 0.5rem;
  }
  .badge[aria-current],
  .current .badge {
    border-color: var(--_ink);
    background: var(--_ink);
    color: var(--_paper);
  }
  .part {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.75rem;
    align-items: start;
    position: relative;
    padding-inline-start: calc(var(--_badge, 1) * 2.25rem);
  }
  .part > .badge {
    position: absolute;
  }
  .part.roles {
    grid-template-columns: minmax(0, 14rem) minmax(0, 1fr);
  }
  .part.last {
    grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
  }
  .vectors {
    display: grid;
    gap: 0.375rem;
  }
  .vector {
    display: grid;
    grid-template-columns: minmax(1.25rem, auto) minmax(0, 1fr);
    align-items: center;
  }
  .last .vector {
    grid-template-columns: 3.25rem minmax(0, 1fr);
  }
  :is(.vector, .rows) :is(b, i),
  .formula {
    font-family: 'STIX Two Text', Cambria, 'Times New Roman', serif;
  }
  .stripes {
    display: block;
    width: 100%;
    height: 1.75rem;
    color: var(--_series-0);
  }
  .roles .vectors .stripes {
    height: 2.5rem;
  }
  .rows tbody .stripes {
    height: 1.5rem;
  }
  .stripes .fill {
    fill: currentColor;
  }
  .stripes :not(.fill) {
    fill: none;
    stroke: var(--_track);
    vector-effect: non-scaling-stroke;
  }
  .stripes .outline {
    stroke: var(--_quiet);
    stroke-width: 0.75;
  }
  .stripes .frame {
    stroke: var(--_accent);
    stroke-width: 1.5;
  }
  /* The query, and what it makes of the values. */
  :is(.q, .z) .stripes {
    color: var(--_accent);
  }
  [role='img']:has(.stripes) {
    display: block;
  }
  .lit {
    border-radius: 2px;
    outline: 1.5px solid var(--_accent);
    background: color-mix(in srgb, var(--_accent) 10%, transparent);
  }
  .heads p {
    margin-bottom: 0.25rem;
    font-weight: 600;
  }
  .heads > div {
    display: grid;
    grid-template-columns: repeat(8, minmax(0, 1fr));
    gap: 2px;
  }
  .heads button {
    min-height: 1.5rem;
    padding: 1px;
    border-radius: 2px;
  }
  .heads .stripes {
    height: 1.125rem;
    color: var(--_quiet);
  }
  .heads [aria-checked='true'] {
    border-color: var(--_accent);
    outline: 1px solid var(--_accent);
  }
  .heads [aria-checked='true'] .stripes {
    color: var(--_series-0);
  }
  .rows {
    width: 100%;
    table-layout: fixed;
    font-size: 0.8125rem;
  }
  .rows .word {
    width: 4.75rem;
  }
  .rows .small {
    width: 7.25rem;
  }
  .rows :is(th, td) {
    height: 1.5rem;
    padding: 0 0.5rem 0 0;
    text-align: start;
  }
  .rows :is(th, td):last-child {
    padding-inline-end: 0;
  }
  .rows thead th {
    position: static;
  }
  .rows tbody th {
    overflow: hidden;
    color: var(--_ink);
    text-overflow: ellipsis;
  }
  .rows .own th {
    color: var(--_accent);
    font-weight: 600;
  }
  .masked td[colspan] {
    background: repeating-linear-gradient(-45deg, transparent 0 4px, var(--_line) 4px 5px);
    color: var(--_quiet);
    text-align: center;
  }
  .masked .stripes {
    opacity: 0.6;
  }
  .rows tfoot td {
    border-top: 1px solid var(--_line);
    text-align: end;
  }
  .rows tfoot button {
    float: left;
  }
  .with-number {
    display: grid;
    grid-template-columns: minmax(0, 1fr) 2.5rem;
    align-items: center;
    text-align: end;
  }
  .bar {
    display: block;
    width: 100%;
    height: 0.75rem;
    overflow: visible;
  }
  .bar .fill {
    fill: var(--_series-0);
  }
  .bar .before {
    fill: var(--_ink);
  }
  .bar .zero {
    stroke: var(--_track);
  }
  /* The bar's ends are where the middle of the thumb can be. */
  .rows .slider {
    position: relative;
    padding-inline: 0.1875rem;
  }
  .rows .slider .fill {
    fill: var(--_quiet);
  }
  .rows .slider input {
    position: absolute;
    inset: 50% 0 auto;
    height: 1.5rem;
    translate: 0 -50%;
    cursor: ew-resize;
    touch-action: pan-y;
  }
  .rows .slider ::-webkit-slider-thumb {
    width: 0.375rem;
    border-width: 0;
    border-radius: 2px;
  }
  .rows .slider ::-moz-range-thumb {
    width: 0.375rem;
    height: 1.125rem;
    border-width: 0;
    border-radius: 2px;
  }
  .rows .slider {
    --_track: var(--_line);
  }
  .rows .slider:not(.moved, :hover, :focus-within) {
    --_accent: var(--_quiet);
  }
  .next {
    display: grid;
    gap: 1px;
    align-content: start;
  }
  .next button:not(.draw) {
    display: grid;
    grid-template-columns: 6.5rem minmax(0, 1fr) 3.25rem;
    gap: 0.5rem;
    align-items: center;
    min-height: 1.5rem;
    padding: 0;
    border-color: transparent;
    text-align: start;
  }
  .next button > :last-child {
    text-align: end;
  }
  .next .before {
    color: var(--_quiet);
  }
  .draw {
    justify-self: start;
  }
  .title {
    display: flex;
    gap: 0.5rem;
    align-items: center;
    font-size: 1rem;
    font-weight: 600;
  }
  .formula {
    margin-block: 0.25rem;
    font-size: 1.0625rem;
  }
  .formula > span {
    display: inline-block;
    white-space: nowrap;
    margin-inline-end: 0.75rem;
  }
  .symbol {
    min-width: 1.5rem;
    min-height: 1.5rem;
    padding: 0 0.15rem;
    border: 0;
    border-bottom: 2px dotted var(--_track);
    border-radius: 0;
  }
  sub {
    margin-inline-start: 0.08em;
  }
  .of {
    margin-inline-start: -0.35rem;
  }
  :is(sub, sup) {
    font-size: 0.72em;
    line-height: 0;
  }
  @container (max-width: 30rem) {
    .board .readout {
      min-height: 4.35em;
    }
    .part:is(.roles, .last) {
      grid-template-columns: minmax(0, 1fr);
    }
    .roles .vectors {
      grid-template-columns: repeat(3, minmax(0, 1fr));
      gap: 0.75rem;
    }
    .rows .word {
      width: 3.75rem;
    }
    .rows .small {
      width: 3.25rem;
    }
    .rows .share {
      width: 4.75rem;
    }
    .rows :is(th, td) {
      padding-inline-end: 0.25rem;
    }
    .with-number {
      grid-template-columns: minmax(0, 1fr) 2.25rem;
    }
  }
`;
