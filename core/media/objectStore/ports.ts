/** Bytes `start` to `end`, both included, as in HTTP. */
export type ByteRange = { readonly start: number; readonly end: number }

export type ObjectHead = {
  /** Bytes. */
  readonly size: number
  readonly modifiedAt: Date
}

export type ListedObject = ObjectHead & { readonly key: string }

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
 * @returns the URL; its answers have this `Content-Type`, `Cache-Control` and `Content-Disposition`
 */
export type PresignGet = (
  key: string,
  answer: {
    readonly contentType: string
    readonly cacheControl: string
    /** @default none */
    readonly contentDisposition?: string | undefined
    readonly expiresInSeconds: number
  },
) => Promise<string>

/** A file on this machine that a program may read and seek in. `release` must be called once, when done. */
export type LocalFile = { readonly path: string; release(): Promise<void> }

/**
 * Where sessions live. Keys are `/`-separated parts of `[A-Za-z0-9._-]`, never `.` or `..`.
 * An object appears as a whole or not at all. An absent key is `undefined`, not an error; every other failure is a
 * `ServiceError` with the code `unavailable` (or `timeout`).
 */
export type ObjectStore = {
  /**
   * Stores a local file.
   * @param options.consume the store may take the file itself (a rename), and the caller forgets it. @default false
   */
  putFile(key: string, path: string, options: { contentType: string; consume?: boolean }): Promise<void>
  putBytes(key: string, bytes: Uint8Array, options: { contentType: string }): Promise<void>
  /** Stores only where nothing is stored yet. @returns false when the key is taken; the old object stays. */
  createBytes(key: string, bytes: Uint8Array, options: { contentType: string }): Promise<boolean>
  get(key: string): Promise<Uint8Array | undefined>
  /** @param range @default the whole object @throws ServiceError `out-of-range` when it does not lie inside the object */
  open(key: string, range?: ByteRange): Promise<OpenObject | undefined>
  head(key: string): Promise<ObjectHead | undefined>
  /**
   * Every object whose key starts with `prefix`, in the order of keys, however many.
   * @param after a key: only those behind it. @default all
   */
  list(prefix: string, after?: string): AsyncIterable<ListedObject>
  /** Absent keys are no error. */
  delete(keys: readonly string[]): Promise<void>
  /** Copies an object inside the store, so its bytes do not pass through the service. @returns false when `from` is absent */
  copy(from: string, to: string, options: { contentType: string }): Promise<boolean>
  /** Only in stores to which clients can send an object directly. @default its bytes go through the app */
  readonly presignPut?: PresignPut
  /** Only in stores from which clients can read an object directly. @default its bytes go through the app */
  readonly presignGet?: PresignGet
  /** The whole object as a local file. */
  checkOut(key: string): Promise<LocalFile | undefined>
  /**
   * Only in stores that may keep what is deleted, as earlier versions: whether the last delete has shown that it does.
   * @default it never does
   */
  readonly keepsDeleted?: () => boolean
  /** Resolves when the store can be written now. */
  check(): Promise<void>
}
