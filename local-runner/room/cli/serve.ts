import { readFile } from 'node:fs/promises'
import { ServiceError } from '@lantern-room/base'
import { EXIT_OK } from '../../commandLine/failure'
import { tellEnd } from '../../commandLine/lifetime'
import type { Listening } from '../../listen'
import { isRunning, roomDataFolder } from '../compose'
import { endInstance, findInstance } from '../instance'
import { removeFile, replaceFile } from '../replaceFile'
import type { Program } from './compose'
import type { Command } from './options/command'
import { runService } from './runService'

/**
 * `room serve`: the room service until it is ended.
 * @returns the exit code
 * @throws ConfigError; ServiceError `unavailable`
 */
export async function serve(command: Command<'serve'>, program: Program): Promise<number> {
  const { parentPid, exitsWithStdin } = command
  const { env } = program
  if (command.hmclFile !== undefined && (await handOver(command.hmclFile, roomDataFolder(env))))
    return EXIT_OK
  const port = command.replaces ? await endInstance(roomDataFolder(env)) : undefined
  const files = portFilesOf(command)
  await runService(port === undefined ? env : { ...env, ROOM_PORT: String(port) }, {
    lifetime: {
      parent: parentPid === undefined ? undefined : { pid: parentPid, isRunning },
      withStdin: exitsWithStdin,
      withStarter: program.isByNpm,
      onEnd: tellEnd,
    },
    async onListening(server) {
      for (const { path, textOf } of files) {
        if (!(await writePortFile(path, textOf(server)))) process.stderr.write(`${heldOpen(path)}\n`)
      }
      process.stdout.write(`${listeningLine(server)}\n`)
    },
    async onEnding(server) {
      for (const { path, textOf } of files) {
        // Another instance may have written its own there, or another program may hold it open.
        if ((await readFile(path, 'utf8').catch(() => undefined)) === textOf(server))
          await removeFile(path).catch(() => undefined)
      }
    },
  })
  return EXIT_OK
}

/** As Terracotta does: a second start tells the launcher the port of the service that runs already. @returns whether one does */
async function handOver(hmclFile: string, dataFolder: string): Promise<boolean> {
  const running = await findInstance(dataFolder)
  // The launcher knows no token.
  if (running === undefined || running.token !== undefined) return false
  const { port } = running
  if (!(await writePortFile(hmclFile, hmclText(running))))
    throw new ServiceError('unavailable', heldOpen(hmclFile))
  process.stderr.write(`The room service runs already, on port ${port}.\n`)
  return true
}

function heldOpen(path: string): string {
  return `The port file ${path} is held open by another program and was not written.`
}

type Place = Pick<Listening, 'url' | 'port'>

/** Port files have the line of standard output, or what HMCL reads. */
function portFilesOf({ portFile, hmclFile }: Command<'serve'>) {
  return [
    ...(portFile === undefined ? [] : [{ path: portFile, textOf: (at: Place) => `${listeningLine(at)}\n` }]),
    ...(hmclFile === undefined ? [] : [{ path: hmclFile, textOf: hmclText }]),
  ]
}

function hmclText({ port }: Pick<Place, 'port'>): string {
  return JSON.stringify({ port })
}

/**
 * Writes where the service listens, for a launcher that waits for the file. It appears whole, unless another program
 * holds an older one open.
 * @returns whether it was written: a program that holds it open can also keep others from writing
 * @throws ServiceError `unavailable`
 */
async function writePortFile(path: string, text: string): Promise<boolean> {
  try {
    return await replaceFile(path, text)
  } catch (cause) {
    throw new ServiceError('unavailable', `The port file ${path} cannot be written.`, { cause })
  }
}

/** The line on standard output that tells launchers where the service listens. */
function listeningLine({ url, port }: Place): string {
  return JSON.stringify({ event: 'listening', url, port, pid: process.pid })
}
