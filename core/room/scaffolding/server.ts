import type { ByteStream } from '#core/byteStream'
import type { Clock } from '#core/clock'
import { ServiceError } from '#core/errors'
import type { Log } from '#core/log'
import { failed } from './commands'
import { decodeRequest, encodeResponse, type RequestFrame, type ResponseFrame } from './frames'
import { createFrameReader, type FrameReader } from './reader'
import type { PlayerRegistry } from './registry'
import { type Commands, createCommands, createDispatcher } from './serverCommands'
import { FRAME_TIMEOUT_MS, startWatchdog } from './watchdog'

export type ScaffoldingServer = {
  /**
   * Answers the requests of one stream, each with one response and in order, until either side closes it. Resolves,
   * and never rejects, when the stream has released its resources.
   */
  serve(stream: ByteStream): Promise<void>
  /** How many streams are being served. */
  readonly connections: number
}

export type ScaffoldingServerOptions = {
  readonly registry: PlayerRegistry
  /** undefined while no game runs: guests then wait. */
  readonly gamePort: () => number | undefined
  readonly clock: Clock
  readonly log: Log
  /** Additional commands, which `c:protocols` does not list. */
  readonly extraCommands?: Commands
  /** Closes all streams. */
  readonly signal: AbortSignal
}

export const MAX_CONNECTIONS = 64

/**
 * The host's side of the room protocol.
 * @see docs/room-protocol.md
 */
export function createScaffoldingServer(options: ScaffoldingServerOptions): ScaffoldingServer {
  const { clock, log, signal } = options
  const open = new Set<ByteStream>()
  let wasFull = false

  const commands = new Map(Object.entries({ ...options.extraCommands, ...createCommands(options) }))
  const respond = createDispatcher(commands, (error, kind) =>
    log.error('a command of the room protocol failed', { kind, error }),
  )

  signal.addEventListener(
    'abort',
    () => {
      for (const stream of open) stream.destroy()
    },
    { once: true },
  )

  const refuse = (stream: ByteStream) => {
    stream.destroy()
    if (signal.aborted || wasFull) return
    wasFull = true
    log.warn('the room protocol refuses more connections', { connections: open.size })
  }

  return {
    get connections() {
      return open.size
    },
    async serve(stream) {
      if (signal.aborted || open.size >= MAX_CONNECTIONS) {
        refuse(stream)
        return stream.closed
      }
      open.add(stream)
      const watchdog = startWatchdog(clock, FRAME_TIMEOUT_MS, () => stream.destroy())
      try {
        await converse(stream, respond, watchdog.feed)
      } catch (error) {
        log.debug('a connection of the room protocol broke', { error })
      } finally {
        watchdog.stop()
        stream.destroy()
        await stream.closed
        open.delete(stream)
      }
    },
  }
}

/** Until the other side closes, or sends bytes after which the next frame cannot be found. */
async function converse(
  stream: ByteStream,
  respond: (request: RequestFrame) => ResponseFrame,
  onProgress: () => void,
): Promise<void> {
  const reader = createFrameReader(stream, decodeRequest)
  for (;;) {
    const request = await readOrRefusal(reader)
    if (!request) return
    onProgress()
    await stream.write(encodeResponse('refusal' in request ? request.refusal : respond(request)))
    onProgress()
    if ('refusal' in request) return stream.end()
  }
}

async function readOrRefusal(
  reader: FrameReader<RequestFrame>,
): Promise<RequestFrame | { readonly refusal: ResponseFrame } | undefined> {
  try {
    return await reader.read()
  } catch (error) {
    if (error instanceof ServiceError) return { refusal: failed(error.detail) }
    throw error
  }
}
