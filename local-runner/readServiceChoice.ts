import { COMMON_OPTIONS, type OptionTable } from './commandLine/optionTable'
import { printable, readArguments, UsageError } from './commandLine/readArguments'
import { renderHelp } from './commandLine/renderHelp'

export type ServiceName = 'media' | 'room'

/** The request made to the program that starts the services. */
export type ServiceChoice =
  | { readonly show: string }
  | { readonly services: readonly ServiceName[]; readonly installsFfmpeg: boolean }

const OPTIONS = {
  'install-ffmpeg': { help: ['install a missing ffmpeg by apt-get (Debian, as root)'] },
  ...COMMON_OPTIONS,
} as const satisfies OptionTable

/**
 * Reads the command line of `npm start` and of the executable `lantern-room`. Both services are chosen where none is named.
 * @throws UsageError for a word that is no service, and for an option that does not exist
 */
export function readServiceChoice(args: readonly string[], version: string): ServiceChoice {
  const { given, words } = readArguments(args, OPTIONS, {
    unknownOption: (rawName) => `There is no option ${printable(rawName)}.`,
    refusesForgottenValues: true,
  })
  if (given.has('help')) return { show: helpText(version) }
  if (given.has('version')) return { show: `${version}\n` }
  const unknown = words.find((word) => !isServiceName(word))
  if (unknown !== undefined)
    throw new UsageError(`There is no service "${printable(unknown)}": media and room are there.`)
  const named = words.filter(isServiceName)
  return {
    services: named.length > 0 ? [...new Set(named)] : ['media', 'room'],
    installsFfmpeg: given.has('install-ffmpeg'),
  }
}

function isServiceName(word: string): word is ServiceName {
  return word === 'media' || word === 'room'
}

function helpText(version: string): string {
  const usage = `lantern-room ${version}: motion photo API and room service

  lantern-room        both services
  lantern-room media  the motion photo API, http://127.0.0.1:8000
  lantern-room room   the room service, http://127.0.0.1:5062`
  const notes = `Settings are environment variables, such as MEDIA_PORT, ROOM_PORT and DATA_DIR;
the README lists them. SIGTERM and Ctrl-C stop in order.

Exit codes
  0  stopped in order
  1  no service could start, or a setting is wrong: standard error says which
  2  the command was typed wrong`
  return renderHelp([usage, OPTIONS, notes], { textColumn: 22, defaultColumn: 67 })
}
