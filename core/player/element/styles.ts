/** Of the shadow tree. A sheet of its own, which pages may forbid as an element: `style-src 'self'` admits it. */
export const STYLES = `
:host {
  display: inline-block;
  position: relative;
  overflow: hidden;
  max-width: 100%;
  vertical-align: bottom;
}
:host([hidden]) { display: none }
.frame { position: relative; width: 100%; height: 100% }
.picture, .clip {
  display: block;
  width: 100%;
  height: 100%;
  object-fit: var(--motion-photo-fit, cover);
  object-position: var(--motion-photo-position, center);
}
.clip {
  position: absolute;
  inset: 0;
  opacity: 0;
  pointer-events: none;
  transition: opacity var(--motion-photo-fade, 150ms);
}
.frame.playing .clip, .frame.kept .clip { opacity: 1 }
.frame.pictureless { min-width: 12rem; min-height: 9rem; aspect-ratio: 4 / 3; background: #222 }
.frame.pictureless .picture { display: none }
.fallback { display: none }
.frame.pictureless .fallback { display: block; position: absolute; inset: 0 }
.frame.kept .fallback, .frame.playing .fallback { visibility: hidden }
.message {
  position: absolute;
  inset: auto 0 0;
  margin: 0;
  padding: 0.5em 0.75em;
  font: 0.875rem / 1.4 system-ui, sans-serif;
  color: #fff;
  background: #000c;
}
.message:empty { display: none }
button {
  position: absolute;
  display: grid;
  place-items: center;
  box-sizing: border-box;
  width: var(--motion-photo-badge-size, 2rem);
  height: var(--motion-photo-badge-size, 2rem);
  min-width: 24px;
  min-height: 24px;
  margin: 0.5rem;
  padding: 0;
  border: 0;
  border-radius: 50%;
  color: var(--motion-photo-badge-color, #fff);
  background: var(--motion-photo-badge-background, #0009);
  cursor: pointer;
}
button[hidden] { display: none }
button:focus-visible { outline: 2px solid #fff; box-shadow: 0 0 0 4px #0b57d0 }
.badge { top: 0; left: 0 }
.sound { top: 0; right: 0; opacity: 0 }
.frame.playing .sound, .sound:focus-visible { opacity: 1 }
svg { width: 62%; fill: none; stroke: currentcolor; stroke-width: 2; stroke-linecap: round }
.off { display: none }
[aria-pressed='false'] .off { display: inline }
[aria-pressed='false'] .on { display: none }
.turning { transform-origin: 12px 12px }
.frame.loading .turning { animation: turn 2s linear infinite }
@keyframes turn { to { transform: rotate(360deg) } }
.frame.pressed { -webkit-touch-callout: none; -webkit-user-select: none; user-select: none }
@media (prefers-reduced-motion: reduce) {
  .clip { transition: none }
  .frame.loading .turning { animation-duration: 12s }
}
@media (forced-colors: active) { button { border: 1px solid ButtonText } }
`
