import { STYLES } from './styles'

/** The element's parts, as `::part(…)` names them. */
export type ShadowTree = {
  readonly frame: HTMLElement
  readonly picture: HTMLImageElement
  readonly clip: HTMLVideoElement
  readonly badge: HTMLButtonElement
  readonly sound: HTMLButtonElement
  readonly message: HTMLElement
  /** What the page shows in place of a picture that is not shown. */
  readonly fallback: HTMLSlotElement
  /** Of this element alone, for the size that its attributes give it. */
  readonly ownSheet: CSSStyleSheet
}

let commonSheet: CSSStyleSheet | undefined

const RING = 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18'
const WAVES = 'M15.5 8.5a5 5 0 0 1 0 7M18.5 5.5a9 9 0 0 1 0 13'
const SPEAKER = 'M4 9.5v5h3.5L12 19V5L7.5 9.5z'

/** Made without texts of HTML, so that a page may demand trusted types. */
export function buildShadowTree(host: HTMLElement): ShadowTree {
  if (commonSheet === undefined) {
    commonSheet = new CSSStyleSheet()
    commonSheet.replaceSync(STYLES)
  }
  const ownSheet = new CSSStyleSheet()
  const root = host.attachShadow({ mode: 'open' })
  root.adoptedStyleSheets = [commonSheet, ownSheet]

  const frame = part('div', 'frame')
  const picture = part('img', 'picture')
  const clip = part('video', 'clip')
  clip.playsInline = true
  clip.preload = 'none'
  clip.disablePictureInPicture = true
  // The button tells of it; the video itself would be a second thing without a name.
  clip.setAttribute('aria-hidden', 'true')
  clip.tabIndex = -1
  const fallback = slot('fallback')
  const place = part('div', 'fallback')
  place.append(fallback)
  const message = part('p', 'message')
  message.setAttribute('role', 'status')
  const badge = button('badge', ['turning', `${RING}`, '2 2.7'], ['', 'M12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8'])
  const sound = button('sound', ['', SPEAKER], ['on', WAVES], ['off', 'M16 9.5l5 5m0-5l-5 5'])
  sound.hidden = true
  frame.append(picture, place, clip, message, badge, sound)
  root.append(frame)
  return { frame, picture, clip, badge, sound, message, fallback, ownSheet }
}

function part<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, name: string): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  element.className = name
  element.setAttribute('part', name)
  return element
}

function slot(name: string): HTMLSlotElement {
  const element = document.createElement('slot')
  element.name = name
  return element
}

type Drawing = readonly [className: string, path: string, dashes?: string]

/** Its drawing can be replaced by what the page puts into the slot of this name. */
function button(name: string, ...drawings: readonly Drawing[]): HTMLButtonElement {
  const element = part('button', name)
  element.type = 'button'
  const space = 'http://www.w3.org/2000/svg'
  const picture = document.createElementNS(space, 'svg')
  picture.setAttribute('viewBox', '0 0 24 24')
  picture.setAttribute('aria-hidden', 'true')
  for (const [className, d, dashes] of drawings) {
    const path = document.createElementNS(space, 'path')
    path.setAttribute('class', className)
    path.setAttribute('d', d)
    if (dashes) path.setAttribute('stroke-dasharray', dashes)
    picture.append(path)
  }
  const place = slot(name)
  place.append(picture)
  element.append(place)
  return element
}
