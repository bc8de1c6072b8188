import { printable, readArguments, UsageError } from './commandLine/readArguments'
import { renderHelp } from './commandLine/renderHelp'
import manual from './manual.json'

export type ServiceName = 'media' | 'room' | 'worker'

/** What `lantern-room` is: the services, `motion-photo` as `photo`, or the command `room`. */
export type ProgramName = 'services' | 'photo' | 'room'

/**
 * Which of its programs a command line of `lantern-room` is for, and the words for it. `room` alone, or with words of `npm start`, is
 * the service; `open` is what the system starts for a link.
 */
export function readProgram(args: readonly string[]): {
  readonly program: ProgramName
  readonly args: readonly string[]
} {
  const [word, ...rest] = args
  if (word === 'photo') return { program: 'photo', args: rest }
  if (word === 'open' || (word !== undefined && /^lantern-room:/i.test(word)))
    return { program: 'room', args }
  const isCommand = word === 'room' && rest[0] !== undefined && !isOfServices(rest[0])
  return isCommand ? { program: 'room', args: rest } : { program: 'services', args }
}

/** Whether it is a word of `npm start`. The command `room` has a help and a version of its own. */
function isOfServices(word: string): boolean {
  const { help, version, ...options } = manual.options
  const [, option = ''] = /^--([^=]*)/.exec(word) ?? []
  return isServiceName(word) || Object.hasOwn(options, option)
}

/**
 * Reads the command line of `npm start` and of the executable `lantern-room`. Both services for people are chosen where none is named.
 * @throws UsageError for a word that is no service, and for an option that does not exist
 */
export function readServiceChoice(args: readonly string[], version: string) {
  const { given, words } = readArguments(args, manual.options)
  if (given.has('help')) {
    const { usage, options, notes } = manual
    const layout = { textColumn: 22, defaultColumn: 67, values: { version } }
    return { show: renderHelp([usage.join('\n'), options, notes.join('\n')], layout) }
  }
  if (given.has('version')) return { show: `${version}\n` }
  const unknown = words.find((word) => !isServiceName(word))
  if (unknown !== undefined)
    throw new UsageError(`There is no service "${printable(unknown)}": media and room are there.`)
  const named = words.filter(isServiceName)
  const services = named.length > 0 ? [...new Set(named)] : (['media', 'room'] as const)
  const isForPhone = given.has('phone')
  if (isForPhone && !services.includes('media'))
    throw new UsageError('--phone is for the service media, which is not started.')
  return {
    services,
    installsFfmpeg: given.has('install-ffmpeg'),
    isForPhone,
  }
}

function isServiceName(word: string): word is ServiceName {
  return word === 'media' || word === 'room' || word === 'worker'
}
