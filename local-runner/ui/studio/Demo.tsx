import { usePainted } from './usePainted'
import { say } from './words/texts'

/** What becomes of a video, drawn: frames of it, and a phone with a photo that moves. They come into their place after the first frame. */
export function Demo() {
  return (
    <div class="demo" role="img" aria-label={say('demo')}>
      {usePainted() && <Scenes />}
    </div>
  )
}

function Scenes() {
  return (
    <>
      <div class="strip">
        <Scene at={0} />
        <Scene at={1} />
        <Scene at={2} />
      </div>
      <span class="arrow">→</span>
      <div class="phone">
        <Scene />
        <i>MOTION</i>
      </div>
    </>
  )
}

/** A kite over hills. @param at of a frame that stands still; without it the scene moves */
function Scene({ at }: { readonly at?: number }) {
  const place = at === undefined ? undefined : `translate(${at * 9 - 9}px, ${at === 1 ? -5 : 0}px)`
  return (
    <svg aria-hidden="true" viewBox="0 0 60 80" class={at === undefined ? 'moves' : ''}>
      <rect width="60" height="80" fill="#8fd0e6" />
      <circle cx="46" cy="16" r="7" fill="#ffd76a" />
      <g class="cloud" fill="#fff" opacity=".85">
        <ellipse cx="16" cy="20" rx="9" ry="3.5" />
        <ellipse cx="22" cy="17" rx="6" ry="3.5" />
      </g>
      <path d="M0 58q16-14 32-4t28-2v28H0z" fill="#4f9d69" />
      <path d="M0 68q20-10 34-3t26-3v18H0z" fill="#2f7a55" />
      <g class="kite" style={place && { transform: place }}>
        <path d="M30 28l7 8-7 11-7-11z" fill="#e4572e" />
        <path d="M30 28v19M23 36h14" stroke="#a8330f" fill="none" />
        <path d="M30 47q4 6 0 10t2 9" stroke="#a8330f" fill="none" />
      </g>
    </svg>
  )
}
