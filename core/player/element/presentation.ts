import { preferredLanguage, textIn, type Values } from '@lantern-room/base'
import { PlayerError, type PlayerErrorCode } from '../clip/playerError'
import { type MotionPhotoState, Playback } from './playback'
import { wantsQuiet } from './preferences'
import { buildShadowTree, type ShadowTree } from './shadowTree'
import { listenForWishes, type Wish } from './wishes'
import words from './words.json'

/** Why a picture or its clip is not shown: `code` for programs, `message` a sentence in the language of the page. */
export type MotionPhotoError = { readonly code: PlayerErrorCode; readonly message: string }

/** Errors that no second try mends. */
const FINAL: ReadonlySet<PlayerErrorCode> = new Set(['no-clip', 'damaged', 'clip-format', 'too-large'])

/** What an element shows, and what it does with a person's wishes. It lives as long as the element. */
export class Presentation {
  readonly #host: HTMLElement
  readonly #tree: ShadowTree
  readonly #playback: Playback
  readonly #wishes = new Set<Wish>()
  /** By a click, a key or the page: it plays to its end whatever the pointer does. */
  #isAsked = false
  #wasOpened = false
  #watch: IntersectionObserver | undefined
  #examination: AbortController | undefined
  error: MotionPhotoError | undefined

  private constructor(host: HTMLElement, tree: ShadowTree) {
    this.#host = host
    this.#tree = tree
    this.#playback = new Playback(tree.clip, {
      onReady: ({ bytesFetched, hasSound }) => {
        tree.sound.hidden = hasSound === false
        this.#tell('ready', { bytesFetched })
      },
      onState: (state) => this.#showState(state),
      onStop: (isWhole) => this.#tell(isWhole ? 'ended' : 'pause'),
      onError: (error) => this.#fail(error),
    })
  }

  static open(host: HTMLElement): Presentation {
    const tree = buildShadowTree(host)
    const shown = new Presentation(host, tree)
    listenForWishes(tree, {
      begin: (wish) => shown.#begin(wish),
      end: (wish) => shown.#end(wish),
      toggle: () => shown.#toggle(),
      toggleSound: () => shown.#toggleSound(),
      stop: () => shown.stop(),
    })
    tree.clip.addEventListener('ended', () => shown.#finish())
    tree.clip.addEventListener('error', () => shown.#playback.fail())
    tree.clip.addEventListener('volumechange', () =>
      tree.sound.setAttribute('aria-pressed', String(!tree.clip.muted)),
    )
    tree.picture.addEventListener('load', () => {
      tree.frame.classList.remove('pictureless')
      shown.#tell('load')
    })
    tree.picture.addEventListener('error', () => void shown.#explainPicture())
    return shown
  }

  get state(): MotionPhotoState {
    return this.#playback.state
  }

  /** Takes the picture and the clip that the attributes name now. */
  changeSource(): void {
    this.#wasOpened = false
    this.show()
  }

  /** Shows the picture, also after `release`. */
  show(): void {
    const { frame, picture, badge, sound } = this.#tree
    this.release()
    this.error = undefined
    this.#say('')
    frame.classList.remove('pictureless', 'kept')
    sound.hidden = true
    this.dress()
    const [photo, movie] = [this.#addressIn('src'), this.#addressIn('video')]
    const mode = this.#host.getAttribute('crossorigin')
    this.#playback.setSource({
      photo,
      movie,
      credentials: mode === 'use-credentials' ? 'include' : 'same-origin',
    })
    badge.hidden = !(photo ?? movie)
    const address = this.#addressIn('poster') ?? photo
    for (const media of [picture, this.#tree.clip]) media.crossOrigin = mode
    if (address) picture.src = address.href
    else picture.removeAttribute('src')
    this.#watchOpening()
  }

  /** Takes on the attributes that change no file. */
  dress(): void {
    const { picture, clip, sound, ownSheet } = this.#tree
    const host = this.#host
    picture.alt = host.getAttribute('alt') ?? ''
    picture.loading = host.getAttribute('loading') === 'lazy' ? 'lazy' : 'eager'
    clip.loop = host.hasAttribute('loop')
    clip.muted = !host.hasAttribute('sound')
    sound.setAttribute('aria-label', this.#text('sound'))
    ownSheet.replaceSync(sizeRule(host.getAttribute('width'), host.getAttribute('height')))
    for (const side of ['width', 'height'] as const) copyAttribute(host, picture, side)
    this.#nameBadge()
    this.#watchOpening()
  }

  async play(): Promise<void> {
    this.#isAsked = true
    await this.#start()
  }

  /** @returns whether there was something to stop */
  stop(): boolean {
    this.#forgetWishes()
    const wasIdle = this.state === 'idle'
    this.#playback.stop()
    return !wasIdle
  }

  /** Leaves nothing behind that runs, waits or takes memory. */
  release(): void {
    this.#forgetWishes()
    this.#examination?.abort()
    this.#watch?.disconnect()
    this.#watch = undefined
    this.#playback.release()
  }

  #begin(wish: Wish): void {
    this.#wishes.add(wish)
    const isWanted = wish === 'press' || !wantsQuiet()
    if (isWanted && !(this.error && FINAL.has(this.error.code))) void this.#start()
  }

  #end(wish: Wish): void {
    this.#wishes.delete(wish)
    if (this.#wishes.size === 0 && !this.#isAsked) this.#playback.stop()
  }

  /** A pointer that still rests here has been served. */
  #forgetWishes(): void {
    this.#wishes.clear()
    this.#isAsked = false
  }

  #toggle(): void {
    const isOnlyLoading = this.state === 'loading' && !this.#isAsked
    if (this.state === 'idle' || isOnlyLoading) void this.play()
    else this.stop()
  }

  #toggleSound(): void {
    const { clip } = this.#tree
    // The browser may have refused the sound until now.
    if (clip.muted && this.#host.hasAttribute('sound')) clip.muted = false
    else this.#host.toggleAttribute('sound')
  }

  async #start(): Promise<void> {
    this.#say('')
    await this.#playback.play()
  }

  #finish(): void {
    this.#forgetWishes()
    // Where there is no picture, the last one of the clip is better than none.
    const { classList } = this.#tree.frame
    classList.toggle('kept', classList.contains('pictureless'))
    this.#playback.stop(true)
  }

  #showState(state: MotionPhotoState): void {
    const { frame } = this.#tree
    frame.classList.toggle('loading', state === 'loading')
    frame.classList.toggle('playing', state === 'playing')
    frame.setAttribute('part', state === 'idle' ? 'frame' : `frame ${state}`)
    this.#tree.badge.setAttribute('aria-busy', String(state === 'loading'))
    this.#nameBadge()
    if (state !== 'playing') return
    this.error = undefined
    this.#tell('play')
  }

  #nameBadge(): void {
    const alt = this.#host.getAttribute('alt') ?? ''
    const key = this.state === 'playing' ? 'stop' : alt === '' ? 'play' : 'playNamed'
    this.#tree.badge.setAttribute('aria-label', this.#text(key, { alt }))
  }

  #fail({ code, status }: PlayerError): void {
    const message = this.#text(code, { status: status ?? '' })
    this.#sayFailure(code, message)
    this.#isAsked = false
    this.#tree.badge.hidden = FINAL.has(code)
    this.error = { code, message }
    const event = new CustomEvent('error', { detail: this.error })
    this.#host.dispatchEvent(Object.assign(event, { code, message }))
  }

  #sayFailure(code: PlayerErrorCode, message: string): void {
    const { frame, fallback } = this.#tree
    const isPictureless = frame.classList.contains('pictureless')
    // Where nothing is shown, that is what matters.
    if (isPictureless && (code === 'picture-format' || code === 'no-clip')) {
      const isReplaced = fallback.assignedElements().length > 0
      this.#say(isReplaced ? '' : this.#text('picture-format'))
      // A pointer that passes over a picture has asked for nothing; a click, a key or a press has.
    } else if (isPictureless || this.#isAsked || this.#wishes.has('press')) this.#say(message)
  }

  /** Of a picture that the browser does not show: whether it was not to be had, or is of a kind that the browser does not know. */
  async #explainPicture(): Promise<void> {
    if (!this.#host.isConnected) return
    this.#tree.frame.classList.add('pictureless')
    const [photo, poster] = [this.#addressIn('src'), this.#addressIn('poster')]
    if (poster && photo && this.#tree.picture.src === poster.href) {
      this.#tree.picture.src = photo.href
      return
    }
    const { file } = this.#playback
    const examination = new AbortController()
    this.#examination = examination
    try {
      await file?.open(examination.signal)
      this.#fail(new PlayerError('picture-format'))
    } catch (error) {
      if (!examination.signal.aborted && error instanceof PlayerError) this.#fail(error)
    }
  }

  /** Plays once when the element comes into view, if that is asked for. */
  #watchOpening(): void {
    const isWanted = this.#host.hasAttribute('autoplay-once') && !this.#wasOpened && !wantsQuiet()
    if (!isWanted || this.#watch) return
    this.#watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        this.#watch?.disconnect()
        this.#wasOpened = true
        void this.play()
      },
      { threshold: 0.5 },
    )
    this.#watch.observe(this.#tree.frame)
  }

  #addressIn(name: string): URL | undefined {
    const text = this.#host.getAttribute(name) ?? ''
    return text === '' || !URL.canParse(text, document.baseURI) ? undefined : new URL(text, document.baseURI)
  }

  #text(key: keyof typeof words, values: Values = {}): string {
    const own = this.#host.closest<HTMLElement>('[lang]')?.lang
    return textIn(preferredLanguage(null, own ? [own] : navigator.languages), words[key], values)
  }

  #say(message: string): void {
    this.#tree.message.textContent = message
  }

  #tell(type: string, detail?: Readonly<Record<string, unknown>>): void {
    this.#host.dispatchEvent(new CustomEvent(type, { detail }))
  }
}

function copyAttribute(from: HTMLElement, to: HTMLElement, name: string): void {
  const value = from.getAttribute(name)
  if (value === null) to.removeAttribute(name)
  else to.setAttribute(name, value)
}

/** Numbers alone, as those of an `<img>`; the page's own styles win over them. */
function sizeRule(width: string | null, height: string | null): string {
  const [wide, high] = [Number.parseInt(width ?? '', 10), Number.parseInt(height ?? '', 10)]
  const rules = [
    wide > 0 ? `width:${wide}px` : '',
    high > 0 && !(wide > 0) ? `height:${high}px` : '',
    wide > 0 && high > 0 ? `aspect-ratio:${wide}/${high}` : '',
  ]
  return `:host{${rules.filter((rule) => rule !== '').join(';')}}`
}
