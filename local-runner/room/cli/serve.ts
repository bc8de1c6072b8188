import { untilAborted } from '#core/async/raceSignal'
import { ServiceError } from '#core/errors'
import { EXIT_OK } from '../../commandLine/failure'
import { atMost, beginLifetime, describeEnd, type Lifetime } from '../../commandLine/lifetime'
import { composeRoom, type LocalRoom, roomDataFolder } from '../compose'
import { findInstance, forgetInstance, recordInstance } from '../instance'
import { listeningLine, type PortFileForm, removePortFile, writePortFile } from '../portFiles'
import { serveRoom } from '../roomHost'
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
  const { parentPid, exitsWithStdin } = command
  const env = { ...program.env, ...command.settings.env }
  if (command.hmclFile !== undefined && (await handOver(command.hmclFile, roomDataFolder(env))))
    return EXIT_OK
  const stopping = new AbortController()
  let life: Lifetime | undefined
  const room = await composeRoom(env, { stopping: stopping.signal, shutDown: () => life?.end() })
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
  const files = portFilesOf(command)
  try {
    await recordInstance(room.dataFolder, server)
    for (const { path, form } of files) {
      if (!(await writePortFile(path, server, form))) process.stderr.write(`${heldOpen(path)}\n`)
    }
    process.stdout.write(`${listeningLine(server)}\n`)
    await untilAborted(life.signal)
    return EXIT_OK
  } finally {
    // First, so that no launcher finds a service that is about to stop.
    await forgetInstance(room.dataFolder, server)
    for (const { path, form } of files) await removePortFile(path, server, form)
    await atMost(CLOSE_MS, server.close())
    server.cut()
    await endRoom(room, stopping)
    life.close()
  }
}

/** As Terracotta does: a second start tells the launcher the port of the service that runs already. @returns whether one does */
async function handOver(hmclFile: string, dataFolder: string): Promise<boolean> {
  const port = await findInstance(dataFolder)
  if (port === undefined) return false
  const isWritten = await writePortFile(hmclFile, { url: `http://127.0.0.1:${port}`, port }, 'hmcl')
  if (!isWritten) throw new ServiceError('unavailable', heldOpen(hmclFile))
  process.stderr.write(`The room service runs already, on port ${port}.\n`)
  return true
}

function heldOpen(path: string): string {
  return `The port file ${path} is held open by another program and was not written.`
}

function portFilesOf({ portFile, hmclFile }: ServeCommand): readonly { path: string; form: PortFileForm }[] {
  return [
    ...(portFile === undefined ? [] : [{ path: portFile, form: 'event' } as const]),
    ...(hmclFile === undefined ? [] : [{ path: hmclFile, form: 'hmcl' } as const]),
  ]
}

/** Waits for what runs beside the rooms, such as the listener for worlds. */
export async function endRoom({ closed }: LocalRoom, stopping: AbortController): Promise<void> {
  stopping.abort(new Error('the program stops'))
  await atMost(END_MS, closed)
}
