import { loadClip } from '../clip/loadClip'
import { PlayerError } from '../clip/playerError'
import { RemoteFile } from '../clip/remoteFile'

export type MotionPhotoState = 'idle' | 'loading' | 'playing'

export type PlaybackSource = {
  /** The motion photo. */
  readonly photo: URL | undefined
  /** The movie of a Live Photo, which is played as it is. */
  readonly movie: URL | undefined
  readonly credentials: RequestCredentials
}

export type PlaybackEvents = {
  /** A clip is there. `hasSound` is undefined where that is not known. */
  onReady(found: { readonly bytesFetched: number; readonly hasSound: boolean | undefined }): void
  onState(state: MotionPhotoState): void
  /** After `playing`: whether the clip has come to its end. */
  onStop(isWhole: boolean): void
  onError(error: PlayerError): void
}

/** The clip of one picture: fetched when it is first played, and kept until the source changes. */
export class Playback {
  readonly #video: HTMLVideoElement
  readonly #events: PlaybackEvents
  #source: PlaybackSource = { photo: undefined, movie: undefined, credentials: 'same-origin' }
  #file: RemoteFile | undefined
  #objectUrl: string | undefined
  #isReady = false
  #attempt: AbortController | undefined
  #state: MotionPhotoState = 'idle'

  constructor(video: HTMLVideoElement, events: PlaybackEvents) {
    this.#video = video
    this.#events = events
  }

  get state(): MotionPhotoState {
    return this.#state
  }

  /** The file of the motion photo, of which nothing is fetched before it is read. */
  get file(): RemoteFile | undefined {
    const { photo, credentials } = this.#source
    if (photo) this.#file ??= new RemoteFile(photo, credentials)
    return this.#file
  }

  /** Stops, forgets the last clip, and takes another one. */
  setSource(source: PlaybackSource): void {
    this.release()
    this.#source = source
  }

  async play(): Promise<void> {
    if (this.#state !== 'idle') return
    const attempt = new AbortController()
    this.#attempt = attempt
    this.#change('loading')
    try {
      await this.#begin(attempt.signal)
      attempt.signal.throwIfAborted()
      this.#change('playing')
    } catch (cause) {
      if (attempt.signal.aborted) return
      this.#change('idle')
      this.#events.onError(cause instanceof PlayerError ? cause : new PlayerError('clip-format', { cause }))
    }
  }

  /** @param isWhole whether the clip has come to its end by itself */
  stop(isWhole = false): void {
    const wasPlaying = this.#state === 'playing'
    this.#attempt?.abort()
    this.#attempt = undefined
    this.#video.pause()
    this.#change('idle')
    if (wasPlaying) this.#events.onStop(isWhole)
  }

  /** Stops and leaves nothing: no request, no memory. */
  release(): void {
    this.stop()
    this.#file = undefined
    if (this.#isReady || this.#video.src !== '') {
      this.#video.removeAttribute('src')
      this.#video.load()
    }
    this.#isReady = false
    if (this.#objectUrl !== undefined) URL.revokeObjectURL(this.#objectUrl)
    this.#objectUrl = undefined
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const { movie } = this.#source
    if (movie) return this.#startMovie(movie, signal)
    if (!this.#isReady) await this.#load(signal)
    await this.#start(signal).catch((cause: unknown) => {
      signal.throwIfAborted()
      if (cause instanceof PlayerError) throw cause
      // GStreamer, in WebKit on Linux, at times finds no stream in a file that it plays the next time.
      this.#video.load()
      return this.#start(signal)
    })
  }

  /** After an error of the video itself, while it plays. */
  fail(): void {
    if (this.#state !== 'playing') return
    const code = this.#video.error?.code === MediaError.MEDIA_ERR_NETWORK ? 'unreachable' : 'clip-format'
    this.release()
    this.#events.onError(new PlayerError(code))
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { file } = this
    if (!file) throw new PlayerError('no-clip')
    const { blob, hasSound } = await loadClip(file, signal)
    signal.throwIfAborted()
    this.#objectUrl = URL.createObjectURL(blob)
    this.#video.src = this.#objectUrl
    this.#isReady = true
    this.#events.onReady({ bytesFetched: file.bytesFetched, hasSound })
  }

  /** The browser fetches it by itself, as it plays. Why it could not be had it does not tell: a request of our own does. */
  async #startMovie(movie: URL, signal: AbortSignal): Promise<void> {
    if (!this.#isReady) this.#video.src = movie.href
    try {
      await this.#start(signal)
    } catch (cause) {
      signal.throwIfAborted()
      if (cause instanceof PlayerError) throw cause
      this.#video.removeAttribute('src')
      await new RemoteFile(movie, this.#source.credentials).open(signal)
      throw new PlayerError('clip-format', { cause })
    }
    if (!this.#isReady) this.#events.onReady({ bytesFetched: 0, hasSound: undefined })
    this.#isReady = true
  }

  /** From the beginning. */
  async #start(signal: AbortSignal): Promise<void> {
    const video = this.#video
    if (video.currentTime > 0) video.currentTime = 0
    try {
      await video.play()
    } catch (cause) {
      signal.throwIfAborted()
      if (!(cause instanceof DOMException && cause.name === 'NotAllowedError')) throw cause
      // With sound it may have to be asked for by a click. Without, it may play.
      if (video.muted) throw new PlayerError('not-allowed', { cause })
      video.muted = true
      await video.play()
    }
  }

  #change(state: MotionPhotoState): void {
    if (state === this.#state) return
    this.#state = state
    this.#events.onState(state)
  }
}
