import type { RoomApi, Say } from '@lantern-room/room'
import { isAllowable, MAX_KEPT_NUMBERS } from '@lantern-room/room'
import { shortened } from '../../../commandLine/readArguments'

/** Carries out what a guest types: `keep 8123`, the yes to a number of the host on this machine. @returns the answer */
export function obeyGuest(
  line: string,
  { service, roomState }: Pick<RoomApi, 'service' | 'roomState'>,
  say: Say,
): string | undefined {
  const [word = '', ...numbers] = line.split(/[\s,]+/).filter(Boolean)
  if (word === '') return undefined
  if (word.toLowerCase() !== 'keep' || numbers.length === 0) return say('guestOrders')
  const wrong = numbers.find((text) => !/^\d{1,5}$/.test(text) || !isAllowable(Number(text)))
  if (wrong !== undefined) return say('neverKept', { port: shortened(wrong) })
  const ports = [...new Set([...roomState.view().keepPorts, ...numbers.map(Number)])]
  // The last ones that were named count.
  service.keepPorts(ports.slice(-MAX_KEPT_NUMBERS))
  return say('keeps', { ports: numbers.join(say('comma')) })
}
