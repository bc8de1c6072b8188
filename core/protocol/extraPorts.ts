import { cleanText } from '@lantern-room/base'

/** Ports of the host beside the world's, which it shares with the room: voice chat, a map page, the other edition. */
export type ExtraPort = {
  /** 1 to 32 printable characters; no other port of the room has it. */
  readonly name: string
  readonly tcp: number | undefined
  readonly udp: number | undefined
}

/** How many ports a room has at most, and how many characters the name of each. */
export const EXTRA_PORT_LIMITS = { ports: 16, nameLength: 32 } as const

/** The rule for a list, as the end of a sentence. */
export const EXTRA_PORTS_RULE = `must be up to ${EXTRA_PORT_LIMITS.ports} ports such as {"name":"voice","udp":24454}, each with a name of its own of at most ${EXTRA_PORT_LIMITS.nameLength} characters, and tcp, udp or both`

/** One port of an unchecked list, from a launcher or another member. */
export type GivenPort = {
  readonly name: string
  readonly tcp?: number | null | undefined
  readonly udp?: number | null | undefined
}

/**
 * @returns undefined when the list breaks the rule: too long, names that are equal or empty, a port that is named twice
 * @example readExtraPorts([{ name: 'voice', udp: 24454 }]) // [{ name: 'voice', tcp: undefined, udp: 24454 }]
 */
export function readExtraPorts(given: readonly GivenPort[]): readonly ExtraPort[] | undefined {
  const ports = given.map(({ name, tcp, udp }) => ({
    name: cleanText(name, EXTRA_PORT_LIMITS.nameLength),
    tcp: tcp ?? undefined,
    udp: udp ?? undefined,
  }))
  const isSound =
    ports.length <= EXTRA_PORT_LIMITS.ports &&
    ports.every(({ name, tcp, udp }) => name !== '' && (isPort(tcp) || isPort(udp))) &&
    ports.every(({ tcp, udp }) => isPortOrNone(tcp) && isPortOrNone(udp)) &&
    areDistinct(ports.map(({ name }) => name)) &&
    areDistinct(ports.flatMap(({ tcp }) => tcp ?? [])) &&
    areDistinct(ports.flatMap(({ udp }) => udp ?? []))
  return isSound ? ports : undefined
}

function isPort(value: number | undefined): boolean {
  return value !== undefined && Number.isInteger(value) && value >= 1 && value <= 65_535
}

function isPortOrNone(value: number | undefined): boolean {
  return value === undefined || isPort(value)
}

function areDistinct(values: readonly (string | number)[]): boolean {
  return new Set(values).size === values.length
}
