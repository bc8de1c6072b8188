import { ServiceError } from '@lantern-room/base'
import { EXIT_OK } from '../../commandLine/failure'
import { composeReport, roomDataFolder } from '../compose'
import { findInstance, readAnswer } from '../instance'
import { ownFiles, replaceFile } from '../replaceFile'
import type { Program } from './compose'
import type { Command } from './options/command'
import { inLanguage } from './words/sentences'

/**
 * `room report`: writes one redacted bundle for those who help. The service that runs with this data folder makes it, since
 * it knows the room; without one it is made of the log on disk and of what the doctor finds.
 * @returns the exit code
 * @throws ConfigError; ServiceError `unavailable` when the file cannot be written
 */
export async function report(command: Command<'report'>, program: Program): Promise<number> {
  const { env } = program
  const running = await findInstance(roomDataFolder(env))
  const told = running && (await readAnswer(running, 'GET', '/report', REPORT_MS).catch(() => ''))
  const text = told || JSON.stringify(await composeReport(env))
  await write(command.output, `${text}\n`, program)
  return EXIT_OK
}

/** The doctor takes up to 3.5 s, on a busy machine a little more. */
const REPORT_MS = 15_000

async function write(path: string | undefined, text: string, { language }: Program): Promise<void> {
  if (path === undefined) {
    process.stdout.write(text)
    return
  }
  const isWritten = await replaceFile(path, text, ownFiles).catch((cause: unknown) => {
    throw notWritten(path, cause)
  })
  if (!isWritten) throw notWritten(path)
  const told = `${path} is written. It contains no room codes or tokens. Send it to the person who is helping you.`
  process.stdout.write(`${inLanguage(language, told)}\n`)
}

function notWritten(path: string, cause?: unknown): ServiceError {
  return new ServiceError('unavailable', `${path} cannot be written: name another file after --output.`, {
    cause,
  })
}
