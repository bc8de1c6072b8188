/** The environment of the media service, apart from the object store. Adapters implement these types. */

import type { FormFields } from '@lantern-room/base/fields'
import type { ByteRange } from './objectStore/ports'

/** A temporary folder of one request. `dispose` removes it, or the next start of the program if the process was killed. */
export type WorkFolder = {
  /** Absolute path of a file inside, which need not exist. `name` is a plain file name. */
  path(name: string): string
  /** @returns the file's path */
  write(name: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<string>
  /** @param range @default the whole file */
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

/**
 * Does work in a temporary folder, which is removed afterwards.
 * @example await inFolder(workFolders, (folder) => folder.write('a', bytes))
 */
export async function inFolder<Result>(
  workFolders: Pick<WorkFolders, 'open'>,
  work: (folder: WorkFolder) => Promise<Result>,
): Promise<Result> {
  const folder = await workFolders.open()
  try {
    return await work(folder)
  } finally {
    await folder.dispose()
  }
}

export type FfmpegTask = {
  /** Everything after the program's name. */
  readonly args: readonly string[]
  /** Written to standard input. @default nothing */
  readonly stdin?: Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array> | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called with the frames written so far; only when the arguments contain `-progress pipe:2`. @default nothing is called */
  readonly onFrame?: (frame: number) => void
  /** Standard output beyond this many bytes kills the program. @default 64 MiB */
  readonly maxOutputBytes?: number | undefined
  /** A file beyond this many bytes kills the program, but on Windows. @default no limit */
  readonly maxFileBytes?: number | undefined
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
  readonly fields: FormFields
  /** `name` as the client gave it, which may be anything. */
  readonly file:
    | { readonly path: string; readonly size: number; readonly name?: string | undefined }
    | undefined
  /** The other files that were allowed and sent, by their fields: their names in the folder. */
  readonly others?: ReadonlyMap<string, string>
}

/**
 * Reads a multipart form and streams its field `file` into the work folder, never into memory.
 * @throws ServiceError `invalid-request` (no multipart; a cut, stalled or broken body), `payload-too-large`,
 *   `unprocessable` (a field that is sent twice), or what `checkHead` throws; the rest of the body is then not read.
 */
export type ReceiveForm = (
  request: Request,
  options: {
    readonly folder: WorkFolder
    /** 0: a field `file` is ignored. */
    readonly maxFileBytes: number
    /** Fields that are text: one that is sent as a file is refused. Files of other names are ignored. @default none */
    readonly texts?: readonly string[]
    /** Further fields that may hold a file each of `maxBytes`, and what all may have beyond the limit of `file`. @default none */
    readonly others?: {
      readonly names: readonly string[]
      readonly maxBytes: number
      readonly spareBytes: number
    }
    /** Milliseconds for which the client may send nothing. */
    readonly idleMs: number
    /** Called once with the file's first bytes (up to 4,096; fewer only when the file is shorter). Throws to refuse it. */
    readonly checkHead: (head: Uint8Array) => void
    /** Called with the bytes of the file so far, from when its head has passed. @default nothing is called */
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
    /** Called with the bytes so far. @default nothing is called */
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

/**
 * Sends a message to a queue, which delivers it until a host has handled it, perhaps more than once.
 * @param options.group whose message it is: a queue that is fair serves few messages of one group before many of another. @default nobody's
 * @param options.delaySeconds until it is delivered, 900 at most. @default 0
 * @throws ServiceError `unavailable`
 */
export type SendMessage = (
  text: string,
  options?: { readonly group?: string | undefined; readonly delaySeconds?: number },
) => Promise<void>

/** A message that a queue has given to this host, and for a while to no other. */
export type QueueMessage = {
  readonly text: string
  /** How many times it has been given, with this one. */
  readonly count: number
  /** When it was sent: Unix time in milliseconds, by the queue's clock. */
  readonly sentMs: number
  /** Keeps it from other hosts for so many seconds from now; with 0 it can be given again at once. @throws ServiceError `unavailable` */
  hold(seconds: number): Promise<void>
  /** Removes it from the queue for good. @throws ServiceError `unavailable` */
  remove(): Promise<void>
}

/** A queue that hosts share. */
export type MessageQueue = {
  readonly send: SendMessage
  /**
   * @param options.waitSeconds for a message to come, 20 at most
   * @param options.holdSeconds for which no other host gets it
   * @returns undefined when none has come
   * @throws ServiceError `unavailable`; the signal's reason
   */
  receive(options: {
    readonly waitSeconds: number
    readonly holdSeconds: number
    readonly signal: AbortSignal
  }): Promise<QueueMessage | undefined>
}

/** Figures of finished work. Times in milliseconds. */
export type Metrics = {
  /** @param client the name of the client, where one has caused it. @default none */
  counted(
    what:
      | 'ClaimsTakenOver'
      | 'SweptSessions'
      | 'SweptUploads'
      | 'QuotaRefusals'
      | 'CallbacksDelivered'
      | 'CallbacksGivenUp',
    count: number,
    client?: string | undefined,
  ): void
  prepared(figures: {
    readonly sessionId: string
    /** The name of the client; undefined for one without. */
    readonly client: string | undefined
    readonly uploadBytes: number
    /** Duration of the preview. */
    readonly previewMs: number
    readonly tookMs: number
  }): void
  converted(figures: {
    /** Undefined when no session was involved. */
    readonly sessionId: string | undefined
    readonly client: string | undefined
    readonly photoBytes: number
    readonly tookMs: number
  }): void
}

export type { PostText } from '@lantern-room/clients'
export type {
  ByteRange,
  ListedObject,
  LocalFile,
  ObjectHead,
  ObjectStore,
  OpenObject,
  PresignGet,
  PresignPut,
} from './objectStore/ports'
