import { untilAborted } from '#core/async/raceSignal'
import { EXIT_OK } from '../../commandLine/failure'
import { atMost, beginLifetime, describeEnd, type Lifetime } from '../../commandLine/lifetime'
import { composeRoom, type LocalRoom } from '../compose'
import { listeningLine, removePortFile, serveRoom, writePortFile } from '../roomHost'
import type { ServeCommand } from './parseRoomCommand'
import type { Program } from './program'

/** Together less than two seconds. */
const CLOSE_MS = 1200
const END_MS = 500

/**
 * `room serve`: the room service until it is ended.
 * @returns the exit code
 * @throws ConfigError; ServiceError `unavailable`
 */
export async function serve(command: ServeCommand, program: Program): Promise<number> {
  const { portFile, parentPid, exitsWithStdin } = command
  const stopping = new AbortController()
  let life: Lifetime | undefined
  const room = await composeRoom(
    { ...program.env, ...command.settings.env },
    { stopping: stopping.signal, shutDown: () => life?.end() },
  )
  const server = await serveRoom(room).catch(async (error: unknown) => {
    stopping.abort(error)
    await room.closed
    throw error
  })
  life = beginLifetime({
    parentPid,
    withStdin: exitsWithStdin,
    withStarter: program.isByNpm,
    onEnd: (cause) => process.stderr.write(`${describeEnd(cause)}\n`),
  })
  try {
    if (portFile !== undefined) await writePortFile(portFile, server)
    process.stdout.write(`${listeningLine(server)}\n`)
    await untilAborted(life.signal)
    return EXIT_OK
  } finally {
    // First, so that no launcher finds a service that is about to stop.
    if (portFile !== undefined) await removePortFile(portFile, server)
    await atMost(CLOSE_MS, server.close())
    server.cut()
    await endRoom(room, stopping)
    life.close()
  }
}

/** Waits for what runs beside the rooms, such as the listener for worlds. */
export async function endRoom({ closed }: LocalRoom, stopping: AbortController): Promise<void> {
  stopping.abort(new Error('the program stops'))
  await atMost(END_MS, closed)
}
