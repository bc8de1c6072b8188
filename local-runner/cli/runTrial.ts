import { randomBytes } from 'node:crypto'
import { renderUnicodeCompact } from 'uqr'
import { untilAborted } from '#core/async/onAbort'
import { ServiceError } from '#core/errors'
import { createTrialApp } from '#core/media/trial/trialApp'
import type { TrialRecord } from '#core/media/trial/trialRecord'
import { verdictTable } from '#core/media/trial/verdictTable'
import { EXIT_OK } from '../commandLine/failure'
import { printable } from '../commandLine/readArguments'
import { serveTrial } from '../trial/serveTrial'
import { openTrialFolder } from '../trial/trialFolder'
import { about } from './failure'
import { type MadeTrial, makeTrial } from './makeTrial'
import type { MotionPhotoDependencies } from './motionPhotoDependencies'
import { type TrialCommand, type TrialPlace, trialHelp } from './trialCommand'

type Output = { write(text: string): unknown }
type Io = { readonly stdout: Output; readonly stderr: Output; readonly signal: AbortSignal }
type Trial = Extract<TrialCommand, { readonly kind: 'trial' }>

const TOKEN_BYTES = 16
const LOOPBACK = '127.0.0.1'

/**
 * Makes the photos of a trial, and shows them on a page until the signal ends it.
 * @returns 0, when the signal ended the page, too
 * @throws as `makeTrial`; ServiceError `unavailable` when the port cannot be used, `not-found` when there is no trial in a
 *   folder whose table is wanted
 */
export async function runTrial(
  command: TrialCommand,
  dependencies: MotionPhotoDependencies,
  io: Io,
): Promise<number> {
  if (command.kind === 'trial help') {
    io.stdout.write(trialHelp())
    return EXIT_OK
  }
  if (command.kind === 'trial table') {
    io.stdout.write(await about(command.folder, () => tableOf(command.folder, dependencies, io.signal)))
    return EXIT_OK
  }
  if (!command.isQuiet) io.stderr.write('Making the photos\n')
  const made = await makeTrial(command, dependencies, io.signal)
  if (!command.isQuiet) io.stderr.write(summaryOf(made))
  io.stdout.write(`${command.folder}\n`)
  if (command.page) await showPage(command, command.page, made.trial, dependencies, io)
  return EXIT_OK
}

async function tableOf(
  path: string,
  { files }: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<string> {
  const folder = openTrialFolder(path, files, signal)
  const trial = await folder.readTrial()
  if (!trial) throw new ServiceError('not-found', 'There is no trial in this folder.')
  return verdictTable(await folder.readVerdicts(), trial)
}

function summaryOf({ trial, written, kept }: MadeTrial): string {
  const lines = [
    `${written} photos written, ${kept} there already`,
    ...trial.left_out.map(({ id, reason }) => `left out: ${id}. ${reason}`),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

async function showPage(
  { folder: path, isQuiet }: Trial,
  { host, port }: TrialPlace,
  trial: TrialRecord,
  { files, trial: { page, lanAddresses } }: MotionPhotoDependencies,
  { stdout, stderr, signal }: Io,
): Promise<void> {
  const lan = host === undefined ? lanAddresses() : [host]
  if (lan.length === 0) stderr.write('This machine is in no private network: only it can open the page.\n')
  const token = randomBytes(TOKEN_BYTES).toString('hex')
  const folder = openTrialFolder(path, files, signal)
  // Refused now and not at the first verdict.
  await about(path, () => folder.readVerdicts())
  const server = await serveTrial({ hosts: lan.length > 0 ? lan : [LOOPBACK], port, token }, (links) =>
    createTrialApp({
      trial,
      page,
      token,
      links,
      async readFile(name) {
        const bytes = await folder.read(name)
        if (bytes) return bytes
        throw new ServiceError('not-found', 'The file is not in the folder any more. Start the trial again.')
      },
      readVerdicts: folder.readVerdicts,
      updateVerdicts: folder.updateVerdicts,
      now: Date.now,
    }),
  )
  const [best = ''] = server.links
  if (!isQuiet) {
    stderr.write(`Open this on a phone in the same network, or scan it:\n${renderUnicodeCompact(best)}\n`)
  }
  stdout.write(server.links.map((link) => `${printable(link)}\n`).join(''))
  if (!isQuiet) stderr.write('Ctrl-C ends it.\n')
  await untilAborted(signal)
  server.close()
  if (!isQuiet) stderr.write('Stopped. The verdicts are kept in the folder.\n')
}
