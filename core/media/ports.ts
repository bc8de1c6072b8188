/** What the media service needs from its environment. Adapters implement these types. */

/** Bytes `start` to `end`, both included, as in HTTP. */
export type ByteRange = { readonly start: number; readonly end: number }

/** Bytes that are read by range. */
export type { ByteSource } from './byteSource'

export type ObjectHead = {
  /** Bytes. */
  readonly size: number
  readonly modifiedAt: Date
}

export type OpenObject = {
  /** Size of the whole object in bytes, also when a range was requested. */
  readonly size: number
  /** Exactly the requested range. Must be read to its end or cancelled. */
  readonly body: ReadableStream<Uint8Array>
}

/**
 * Allows one PUT of exactly `size` bytes with exactly this type, for a limited time.
 * @returns the URL, and the headers that the client must send
 */
export type PresignPut = (
  key: string,
  body: { readonly size: number; readonly contentType: string; readonly expiresInSeconds: number },
) => Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }>

/**
 * Allows GETs of one object, whole or in ranges, for a limited time; whether it exists is not checked.
 * @returns the URL; its answers have this `Content-Type` and `Cache-Control`
 */
export type PresignGet = (
  key: string,
  answer: { readonly contentType: string; readonly cacheControl: string; readonly expiresInSeconds: number },
) => Promise<string>

/** A file on this machine that a program may read and seek in. `release` must be called once, when done. */
export type LocalFile = { readonly path: string; release(): Promise<void> }

/**
 * Where sessions live. Keys are `/`-separated parts of `[A-Za-z0-9._-]`, never `.` or `..`.
 * An object appears as a whole or not at all. An absent key is `undefined`, not an error; every other failure is a
 * `ServiceError` with the code `unavailable` (or `timeout`).
 */
export type ObjectStore = {
  /** Stores a local file. With `consume` the store may take the file itself (a rename) and the caller forgets it. */
  putFile(key: string, path: string, options: { contentType: string; consume?: boolean }): Promise<void>
  putBytes(key: string, bytes: Uint8Array, options: { contentType: string }): Promise<void>
  /** Stores only where nothing is stored yet. @returns false when the key is taken; the old object stays. */
  createBytes(key: string, bytes: Uint8Array, options: { contentType: string }): Promise<boolean>
  get(key: string): Promise<Uint8Array | undefined>
  /** @throws ServiceError `out-of-range` when the range does not lie inside the object */
  open(key: string, range?: ByteRange): Promise<OpenObject | undefined>
  head(key: string): Promise<ObjectHead | undefined>
  /** Every object whose key starts with `prefix`, in any order, however many there are. */
  list(prefix: string): AsyncIterable<ObjectHead & { readonly key: string }>
  /** Absent keys are no error. */
  delete(keys: readonly string[]): Promise<void>
  /** Copies an object inside the store. @returns false when `from` is absent */
  copy(from: string, to: string, options: { contentType: string }): Promise<boolean>
  /** Only in stores to which clients can send an object directly. Otherwise its bytes go through the app. */
  readonly presignPut?: PresignPut
  /** Only in stores from which clients can read an object directly. */
  readonly presignGet?: PresignGet
  /** The whole object as a local file. */
  checkOut(key: string): Promise<LocalFile | undefined>
  /** Resolves when the store can be written now. */
  check(): Promise<void>
}

/** A temporary folder of one request. `dispose` removes it, or the next start of the program if the process was killed. */
export type WorkFolder = {
  /** Absolute path of a file inside, which need not exist. `name` is a plain file name. */
  path(name: string): string
  /** @returns the file's path */
  write(name: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<string>
  read(name: string, range?: ByteRange): Promise<Uint8Array>
  /** Bytes, or undefined when there is no such file. */
  size(name: string): Promise<number | undefined>
  dispose(): Promise<void>
}

export type WorkFolders = {
  open(): Promise<WorkFolder>
  /** Bytes that this program may still write where the folders are. */
  freeBytes(): Promise<number>
}

export type FfmpegTask = {
  /** Everything after the program's name. */
  readonly args: readonly string[]
  /** Written to standard input, which is empty by default. */
  readonly stdin?: Uint8Array | AsyncIterable<Uint8Array>
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called with the frames written so far; only when the arguments contain `-progress pipe:2`. */
  readonly onFrame?: (frame: number) => void
  /** Standard output beyond this many bytes kills the program. Default 64 MiB. */
  readonly maxOutputBytes?: number
}

export type FfmpegOutcome = {
  /** 0 when it succeeded; null when it was killed by a signal, for example for lack of memory. */
  readonly exitCode: number | null
  readonly stdout: Uint8Array
  /** The last 256 KiB of standard error, as text. */
  readonly stderr: string
}

/**
 * Runs ffmpeg. A failure of ffmpeg is an outcome, not an error.
 * When the signal aborts or the time is over, ffmpeg and all its children are killed before the promise rejects:
 * with the signal's reason, or a `ServiceError` of code `timeout`.
 */
export type Ffmpeg = {
  run(task: FfmpegTask): Promise<FfmpegOutcome>
  /** Resolves with the version text when the program runs. @throws ServiceError `unavailable` */
  version(): Promise<string>
}

export type ReceivedForm = {
  /** Text fields; the last one of a name wins. A map, because clients may choose any name. */
  readonly fields: ReadonlyMap<string, string>
  readonly file: { readonly path: string; readonly size: number } | undefined
  /** The other files that were allowed and sent, by their fields: their names in the folder. */
  readonly others?: ReadonlyMap<string, string>
}

/**
 * Reads a multipart form and streams its field `file` into the work folder, never into memory.
 * @throws ServiceError `invalid-request` (no multipart; a cut, stalled or broken body), `payload-too-large`,
 *   or what `checkHead` throws; the rest of the body is then not read.
 */
export type ReceiveForm = (
  request: Request,
  options: {
    readonly folder: WorkFolder
    /** 0: a field `file` is ignored. */
    readonly maxFileBytes: number
    /** Further fields that may hold a file each; default none. */
    readonly others?: { readonly names: readonly string[]; readonly maxBytes: number }
    /** Milliseconds for which the client may send nothing. */
    readonly idleMs: number
    /** Called once with the file's first bytes (up to 4,096; fewer only when the file is shorter). Throws to refuse it. */
    readonly checkHead: (head: Uint8Array) => void
    /** Called with the bytes of the file so far, from when its head has passed. */
    readonly onFileBytes?: (bytes: number) => void
    readonly signal: AbortSignal
  },
) => Promise<ReceivedForm>

/**
 * Streams a request's body into the work folder, never into memory.
 * @returns path of the file, which has exactly `size` bytes
 * @throws ServiceError `payload-too-large` as soon as the body is longer, `invalid-request` when it ends before, or
 *   stalls
 */
export type ReceiveBody = (
  request: Request,
  options: {
    readonly folder: WorkFolder
    readonly size: number
    /** Milliseconds for which the client may send nothing. */
    readonly idleMs: number
    readonly signal: AbortSignal
    /** Called with the bytes so far. */
    readonly onBytes?: (bytes: number) => void
  },
) => Promise<string>

/** Decodes what ffmpeg cannot: animated WebP. */
export type WebpDecoder = {
  /** @returns undefined when this installation cannot read WebP */
  open(path: string): Promise<WebpAnimation | undefined>
}

export type WebpAnimation = {
  readonly width: number
  readonly height: number
  /** One delay per frame, in milliseconds. */
  readonly delaysMs: readonly number[]
  /** Frame by frame, composed, on white: width × height × 3 bytes of RGB each. */
  frames(signal: AbortSignal): AsyncIterable<Uint8Array>
}

/** Figures of finished work. Times in milliseconds. */
export type Metrics = {
  prepared(figures: {
    readonly sessionId: string
    readonly uploadBytes: number
    /** Duration of the preview. */
    readonly previewMs: number
    readonly tookMs: number
  }): void
  converted(figures: {
    /** Undefined when no session was involved. */
    readonly sessionId: string | undefined
    readonly photoBytes: number
    readonly tookMs: number
  }): void
}
