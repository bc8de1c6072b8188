import type { MotionPhotoState } from './playback'
import { type MotionPhotoError, Presentation } from './presentation'

export type { MotionPhotoError, MotionPhotoState }

/** The event `error`: what it says is also in `detail`. */
export type MotionPhotoErrorEvent = CustomEvent<MotionPhotoError> & MotionPhotoError

declare global {
  // biome-ignore lint/style/useConsistentTypeDefinitions: the document's own table is one, and only so can it be added to
  interface HTMLElementTagNameMap {
    'motion-photo': MotionPhotoElement
  }
}

// Where a page is rendered without a browser, the class is only named.
const Base: typeof HTMLElement = globalThis.HTMLElement ?? class {}

/** Attributes that name files; those that say how these are shown. */
const FILES = ['src', 'video', 'poster', 'crossorigin']
const LOOKS = ['alt', 'loading', 'width', 'height', 'loop', 'sound', 'autoplay-once']

/**
 * A motion photo on a page: its picture, and its clip for as long as a person asks for it. Nothing of the clip is fetched before.
 * @see docs/player.md
 */
export class MotionPhotoElement extends Base {
  static readonly observedAttributes = [...FILES, ...LOOKS]

  /** From the first time on that the element is on a page. */
  #shown: Presentation | undefined

  connectedCallback(): void {
    for (const name of ['src', 'video', 'poster', 'alt', 'sound', 'loop']) this.#upgrade(name)
    this.#shown ??= Presentation.open(this)
    this.#shown.show()
  }

  disconnectedCallback(): void {
    this.#shown?.release()
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now || !this.isConnected) return
    if (FILES.includes(name)) this.#shown?.changeSource()
    else this.#shown?.dress()
  }

  /** Plays the clip from its beginning. What goes wrong is told by the event `error`. */
  async play(): Promise<void> {
    await this.#shown?.play()
  }

  /** Stops, and shows the picture. */
  stop(): void {
    this.#shown?.stop()
  }

  get state(): MotionPhotoState {
    return this.#shown?.state ?? 'idle'
  }

  /** What went wrong last; undefined after another `src`, and once the clip plays. */
  get error(): MotionPhotoError | undefined {
    return this.#shown?.error
  }

  get src(): string {
    return this.getAttribute('src') ?? ''
  }

  set src(address: string) {
    this.setAttribute('src', address)
  }

  get video(): string {
    return this.getAttribute('video') ?? ''
  }

  set video(address: string) {
    this.setAttribute('video', address)
  }

  get poster(): string {
    return this.getAttribute('poster') ?? ''
  }

  set poster(address: string) {
    this.setAttribute('poster', address)
  }

  get alt(): string {
    return this.getAttribute('alt') ?? ''
  }

  set alt(text: string) {
    this.setAttribute('alt', text)
  }

  /** Whether the clip is played with its sound. Where the browser allows none yet, it is played without. */
  get sound(): boolean {
    return this.hasAttribute('sound')
  }

  set sound(isOn: boolean) {
    this.toggleAttribute('sound', isOn)
  }

  /** Whether the clip begins again at its end, for as long as the person asks for it. */
  get loop(): boolean {
    return this.hasAttribute('loop')
  }

  set loop(isOn: boolean) {
    this.toggleAttribute('loop', isOn)
  }

  /** What was set before the element was defined lies in front of the property of the class. */
  #upgrade(name: string): void {
    if (!Object.hasOwn(this, name)) return
    const value: unknown = Reflect.get(this, name)
    Reflect.deleteProperty(this, name)
    Reflect.set(this, name, value)
  }
}
