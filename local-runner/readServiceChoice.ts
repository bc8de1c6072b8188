import { printable, readArguments, UsageError } from './commandLine/readArguments'
import { renderHelp } from './commandLine/renderHelp'
import manual from './manual.json'

export type ServiceName = 'media' | 'room'

/**
 * Reads the command line of `npm start` and of the executable `lantern-room`. Both services are chosen where none is named.
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
  return word === 'media' || word === 'room'
}
