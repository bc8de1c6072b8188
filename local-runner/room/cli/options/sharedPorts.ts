import { EXTRA_PORT_LIMITS, readExtraPorts } from '@lantern-room/protocol'
import { UsageError } from '../../../commandLine/readArguments'

type SharedPort = NonNullable<ReturnType<typeof readExtraPorts>>[number]

const RULE = `--share takes up to ${EXTRA_PORT_LIMITS.ports} ports such as voice=24454/udp,map=8123/tcp, each with a name of its own of at most ${EXTRA_PORT_LIMITS.nameLength} characters.`

/**
 * Reads the value of `--share`: `NAME=PORT/udp`, `NAME=PORT/tcp` or `NAME=PORT` for both, with commas between.
 * @throws UsageError
 */
export function sharedPorts(text: string | undefined): readonly SharedPort[] {
  if (text === undefined) return []
  const ports = readExtraPorts(text.split(',').map(readWord))
  if (ports === undefined) throw new UsageError(RULE, 'host')
  return ports
}

/** How the port is written for `--share`. */
export function shareWord({
  name,
  tcp,
  udp,
}: { readonly name: string } & Readonly<Record<'tcp' | 'udp', number | null | undefined>>): string {
  if (tcp === udp) return `${name}=${tcp}`
  return tcp ? `${name}=${tcp}/tcp` : `${name}=${udp}/udp`
}

function readWord(word: string) {
  const [, name = '', digits = '', protocol] = /^([^=]+)=(\d{1,5})(?:\/(tcp|udp))?$/.exec(word.trim()) ?? []
  const port = Number(digits)
  return {
    name,
    tcp: protocol === 'udp' ? undefined : port,
    udp: protocol === 'tcp' ? undefined : port,
  }
}
