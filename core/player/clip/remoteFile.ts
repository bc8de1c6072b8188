import { concatBytes } from '@lantern-room/base/bytes'
import type { ByteSpan } from '@lantern-room/mp4/source'
import { PlayerError } from './playerError'

/** In most photos of phones, all tags before the picture are in here. */
const HEAD_BYTES = 32 * 1024
/** A request takes as long as this many bytes. */
const LEAST_BYTES = 16 * 1024
/** What phones write at the end of a file is read in several steps. */
const TAIL_BYTES = 4 * 1024
/** What is kept of a file in memory. Larger than any phone's photo. */
const MAX_BYTES = 256 * 1024 * 1024

type Span = ByteSpan & { readonly bytes: Uint8Array }

/**
 * A file on a server, read by ranges. Each byte is fetched once: also what came before a reading was aborted is kept. A server that knows
 * no ranges sends the whole file, which is kept then.
 */
export class RemoteFile {
  readonly #url: URL
  readonly #credentials: RequestCredentials
  /** In the order of the file, without overlaps. */
  #spans: readonly Span[] = []
  #size: number | undefined
  /** What tells one version of the file from another. */
  #version: string | undefined
  /** Bytes that have been received. */
  bytesFetched = 0

  constructor(url: URL, credentials: RequestCredentials) {
    this.#url = url
    this.#credentials = credentials
  }

  /** Reads the begin of the file, if that has not been done. @returns the file's size */
  async open(signal: AbortSignal): Promise<number> {
    if (this.#size === undefined) await this.#fetchRange(0, HEAD_BYTES, signal)
    if (this.#size === undefined) await this.#askSize(signal)
    if (this.#size === undefined) await this.#fetchWhole(signal)
    return this.#size ?? 0
  }

  /**
   * @param start first byte
   * @param end one past the last byte, inside the file
   * @throws PlayerError; the signal's reason
   */
  async read(start: number, end: number, signal: AbortSignal): Promise<Uint8Array> {
    for (;;) {
      const at = this.#knownUntil(start)
      if (at >= end) return this.#copy(start, end)
      await this.#fetchRange(at, Math.max(end, at + LEAST_BYTES), signal)
      if (this.#knownUntil(start) === at) throw new PlayerError('damaged')
    }
  }

  async #fetchRange(start: number, wantedEnd: number, signal: AbortSignal): Promise<void> {
    const size = this.#size ?? Number.POSITIVE_INFINITY
    const from = start >= size - TAIL_BYTES ? Math.max(this.#knownBefore(start), size - TAIL_BYTES) : start
    const next = this.#spans.find((span) => span.start > start)?.start ?? size
    const end = Math.min(wantedEnd, next)
    const response = await this.#ask({ headers: { Range: `bytes=${from}-${end - 1}` } }, signal)
    if (response.status !== 206) return this.#keepWhole(response, signal)
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '')
    this.#compareVersion(response, range?.[3])
    if (range && Number(range[1]) !== from) throw new PlayerError('damaged')
    if (range) this.#size = Number(range[3])
    const received = await this.#receive(response, from, signal)
    // Another site's header may be hidden. Less than was asked for then means the end of the file.
    if (!range && received < end - from && this.#size === undefined) this.#size = from + received
  }

  async #askSize(signal: AbortSignal): Promise<void> {
    const response = await this.#ask({ method: 'HEAD' }, signal).catch(() => signal.throwIfAborted())
    const length = response?.headers.get('Content-Length') ?? undefined
    if (length !== undefined) this.#size = Number(length)
  }

  async #fetchWhole(signal: AbortSignal): Promise<void> {
    await this.#keepWhole(await this.#ask({}, signal), signal)
  }

  async #keepWhole(response: Response, signal: AbortSignal): Promise<void> {
    this.#spans = []
    if (Number(response.headers.get('Content-Length')) > MAX_BYTES) throw new PlayerError('too-large')
    this.#size = await this.#receive(response, 0, signal)
  }

  async #ask(
    options: { readonly method?: string; readonly headers?: Record<string, string> },
    signal: AbortSignal,
  ): Promise<Response> {
    const { method = 'GET', headers = {} } = options
    const credentials = this.#credentials
    const response = await fetch(this.#url, { method, headers, credentials, signal }).catch(
      async (cause: unknown) => {
        signal.throwIfAborted()
        throw new PlayerError((await this.#isForeign(signal)) ? 'cors' : 'unreachable', { cause })
      },
    )
    if (response.ok) return response
    void response.body?.cancel()
    // The range lies behind the end: the file has no byte, or fewer than it had.
    if (response.status === 416) {
      const code = this.#size === undefined ? 'no-clip' : 'changed'
      this.#forget()
      throw new PlayerError(code)
    }
    throw new PlayerError('refused', { status: response.status })
  }

  /** Whether the other site answers, and only this page may not read it. */
  async #isForeign(signal: AbortSignal): Promise<boolean> {
    if (this.#url.origin === globalThis.location?.origin) return false
    const asked = fetch(this.#url, { method: 'HEAD', mode: 'no-cors', cache: 'no-store', signal })
    return asked.then(
      () => true,
      () => false,
    )
  }

  /** Keeps what comes, also when the rest does not. @returns its bytes */
  async #receive(response: Response, start: number, signal: AbortSignal): Promise<number> {
    const pieces: Uint8Array[] = []
    let size = 0
    try {
      const reader = response.body?.getReader()
      for (let step = await reader?.read(); step?.value; step = await reader?.read()) {
        pieces.push(step.value)
        size += step.value.length
        if (start + size > MAX_BYTES && this.#size === undefined) throw new PlayerError('too-large')
      }
    } catch (cause) {
      signal.throwIfAborted()
      throw cause instanceof PlayerError ? cause : new PlayerError('unreachable', { cause })
    } finally {
      this.bytesFetched += size
      // Without its size nobody knows whether it was a range.
      if (response.status === 206) this.#keep(start, concatBytes(pieces))
    }
    if (response.status !== 206) this.#keep(0, concatBytes(pieces))
    return size
  }

  #keep(start: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return
    const others = this.#spans.filter((span) => span.start < start || span.end > start + bytes.length)
    const spans = [...others, { start, end: start + bytes.length, bytes }]
    this.#spans = spans.sort((one, other) => one.start - other.start)
  }

  #compareVersion(response: Response, size: string | undefined): void {
    const names = ['ETag', 'Last-Modified']
    const version = [size, ...names.map((name) => response.headers.get(name))].join()
    if (this.#version !== undefined && this.#version !== version) {
      void response.body?.cancel()
      this.#forget()
      throw new PlayerError('changed')
    }
    this.#version = version
  }

  #forget(): void {
    this.#spans = []
    this.#size = undefined
    this.#version = undefined
  }

  /** The first byte from this one on that is not known. */
  #knownUntil(start: number): number {
    return this.#spans.reduce((at, span) => (span.start <= at && at < span.end ? span.end : at), start)
  }

  /** The first byte after the last span before this one. */
  #knownBefore(start: number): number {
    return this.#spans.reduce((at, span) => (span.end <= start ? span.end : at), 0)
  }

  #copy(start: number, end: number): Uint8Array {
    const inside = this.#spans.filter((span) => span.start < end && span.end > start)
    const pieces = inside.map((span) =>
      span.bytes.subarray(Math.max(start - span.start, 0), end - span.start),
    )
    return pieces.length === 1 && pieces[0] ? pieces[0] : concatBytes(pieces)
  }
}
