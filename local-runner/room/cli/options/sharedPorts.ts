import {
  type ExtraPort,
  type GivenPort,
  MAX_EXTRA_PORTS,
  MAX_PORT_NAME,
  readExtraPorts,
} from '@lantern-room/room'
import { UsageError } from '../../../commandLine/readArguments'

const RULE = `--share takes up to ${MAX_EXTRA_PORTS} ports such as voice=24454/udp,map=8123/tcp, each with a name of its own of at most ${MAX_PORT_NAME} characters.`

/**
 * Reads the value of `--share`: `NAME=PORT/udp`, `NAME=PORT/tcp` or `NAME=PORT` for both, with commas between.
 * @throws UsageError
 */
export function sharedPorts(text: string | undefined): readonly ExtraPort[] {
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

function readWord(word: string): GivenPort {
  const [, name = '', digits = '', protocol] = /^([^=]+)=(\d{1,5})(?:\/(tcp|udp))?$/.exec(word.trim()) ?? []
  const port = Number(digits)
  return {
    name,
    tcp: protocol === 'udp' ? undefined : port,
    udp: protocol === 'tcp' ? undefined : port,
  }
}
