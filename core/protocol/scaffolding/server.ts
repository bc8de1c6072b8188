import type { Log } from '@lantern-room/base'
import { ServiceError } from '@lantern-room/base'
import { onAbort } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import type { Standing } from '@lantern-room/base/limits'
import { createConnectionShares, MAX_CONNECTIONS } from './connectionShares'
import {
  type CommandDependencies,
  type Commands,
  createCommands,
  createDispatcher,
  createPace,
  REQUEST_RATE,
} from './serverCommands'
import { failed, type RoomCaller } from './wire/commands'
import { FRAME_TIMEOUT_MS } from './wire/exchange'
import {
  createFrameReader,
  decodeRequest,
  encodeResponse,
  type RequestFrame,
  type ResponseFrame,
} from './wire/frames'

export type ScaffoldingServerOptions = CommandDependencies & {
  readonly log: Log
  /** Additional commands, which `c:protocols` does not list. */
  readonly extraCommands: Commands
  /** Additional commands, which `c:protocols` lists only to guests that list them themselves. */
  readonly offeredCommands: Commands
  /** Decides between members when all connections are taken. @default each member is a group of its own */
  readonly standing?: () => Standing<string>
  /** Closes all streams. */
  readonly signal: AbortSignal
}

export type ScaffoldingServer = ReturnType<typeof createScaffoldingServer>

/**
 * The host's side of the room protocol.
 * @see docs/room-protocol.md
 * @example
 * const server = createScaffoldingServer({ registry, admission, ids, gamePort, onGamePort, extraCommands: {}, offeredCommands: {}, onOverShare, clock, log, signal })
 * await server.serve(stream, memberId)
 */
export function createScaffoldingServer(options: ScaffoldingServerOptions) {
  const { clock, log, signal, onOverShare } = options
  const pace = createPace(clock, REQUEST_RATE, (memberId) => onOverShare(memberId, 'requests', 'delayed'))
  let wasFull = false
  const shares = createConnectionShares(
    clock,
    onOverShare,
    () => {
      if (!wasFull) log.warn('the room protocol refuses more connections', { connections: MAX_CONNECTIONS })
      wasFull = true
    },
    options.standing,
  )

  const { extraCommands, offeredCommands } = options
  const own = createCommands(options, Object.keys(offeredCommands))
  const commands = new Map(Object.entries({ ...extraCommands, ...offeredCommands, ...own }))
  const respond = createDispatcher(commands, (error, kind) =>
    log.error('a command of the room protocol failed', { kind, error }),
  )

  return {
    /**
     * Answers every request of a stream with one response, in order, until either side closes it.
     * Resolves, and never rejects, when the stream is closed.
     * @param memberId the member that has opened the stream; `THIS_MACHINE` for a program on this machine
     */
    async serve(stream: ByteStream, memberId: string): Promise<void> {
      const place = signal.aborted ? undefined : shares.open(stream, memberId)
      if (!place) {
        stream.destroy()
        return stream.closed
      }
      const unsubscribe = onAbort(signal, stream.destroy)
      let stopTimer = () => {}
      const progress = () => {
        stopTimer()
        stopTimer = clock.after(FRAME_TIMEOUT_MS, () => stream.destroy())
      }
      progress()
      const closing = new AbortController()
      void stream.closed.then(() => closing.abort(new Error('the guest has closed the connection')))
      const caller: RoomCaller = { memberId, signal: closing.signal }
      const answer = async (request: RequestFrame) => {
        place.use()
        await pace(memberId, caller.signal)
        return respond(request, caller)
      }
      try {
        await answerRequests(stream, answer, progress)
      } catch (error) {
        log.debug('a connection of the room protocol broke', { error })
      } finally {
        stopTimer()
        stream.destroy()
        await stream.closed
        unsubscribe()
        place.leave()
      }
    },
  }
}

/** Ends when the other side closes the stream, or after a request whose end is unknown. */
async function answerRequests(
  stream: ByteStream,
  respond: (request: RequestFrame) => Promise<ResponseFrame>,
  onProgress: () => void,
): Promise<void> {
  const read = createFrameReader(stream, decodeRequest)
  for (;;) {
    const request = await read().catch(asRefusal)
    if (!request) return
    onProgress()
    await stream.write(encodeResponse('refusal' in request ? request.refusal : await respond(request)))
    onProgress()
    if ('refusal' in request) return stream.end()
  }
}

/** @throws the error, unless it is an invalid request */
function asRefusal(error: unknown): { readonly refusal: ResponseFrame } {
  if (error instanceof ServiceError) return { refusal: failed(error.detail) }
  throw error
}
