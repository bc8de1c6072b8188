import type { PortTransport } from '@lantern-room/base/network'
import type { ExtraPort } from '@lantern-room/protocol'
import { type KeptNumbers, type NumberReason, type NumberRule, numberRule } from '../../localNumbers'
import type { ShownPort } from '../../shownPort'
import { type LocalPortDependencies, openTcpPort, openUdpPort } from './localPort'

export type ExtraForwards = ReturnType<typeof createExtraForwards>

/** Free numbers that are tried for a port that does not get the host's. */
const NUMBERS_TRIED = 20

/** A port of this machine that leads to one of the host. */
type LocalEnd = {
  /** What decided its number. */
  readonly rule: NumberRule
  /** undefined where none could be opened */
  readonly local: number | undefined
  /** Why it is not the host's number. */
  readonly why: NumberReason | undefined
  readonly close: () => void
}

export type ExtraForwardsDependencies = LocalPortDependencies & {
  readonly hold: (closing: Promise<unknown>) => void
  /** Which numbers the player has allowed the host. */
  readonly numbers: KeptNumbers
  /** Draws a number that is likely to be free. */
  readonly drawNumber: () => number
}

/** Local ports that lead to the host's extra ports. @param onChange called with the whole list at each change */
export function createExtraForwards(
  dependencies: ExtraForwardsDependencies,
  onChange: (shown: readonly ShownPort[]) => void,
  signal: AbortSignal,
) {
  const { numbers } = dependencies
  /** By transport and the host's number: a port that only gets another name stays open. */
  const ends = new Map<string, LocalEnd>()
  let last: Promise<void> = Promise.resolve()
  let wanted: readonly ExtraPort[] = []

  return {
    /** Opens what is new in the host's list and closes what is no longer in it, one change after the other. Never rejects. */
    update(ports: readonly ExtraPort[]): Promise<void> {
      if (JSON.stringify(ports) === JSON.stringify(wanted)) return last
      wanted = ports
      return enqueue(false)
    },
    /** Opens anew what gets another number by what the player has allowed now, or was taken before. Never rejects. */
    reconsider: (): Promise<void> => enqueue(true),
  }

  function enqueue(isAsked: boolean): Promise<void> {
    const ports = wanted
    last = last.then(() => replace(ports, isAsked)).catch(() => undefined)
    return last
  }

  async function replace(ports: readonly ExtraPort[], isAsked: boolean): Promise<void> {
    const keys = new Set(ports.flatMap(({ tcp, udp }) => [`tcp ${tcp}`, `udp ${udp}`]))
    for (const [key, { close }] of ends) {
      if (keys.has(key)) continue
      ends.delete(key)
      close()
    }
    const shown: ShownPort[] = []
    for (const port of ports) {
      const tcp = await localEnd('tcp', port.tcp, isAsked)
      const udp = await localEnd('udp', port.udp, isAsked)
      shown.push({ ...port, localTcp: tcp?.local, localUdp: udp?.local, whyTcp: tcp?.why, whyUdp: udp?.why })
    }
    onChange(shown)
  }

  /** @param isAsked whether a number that could not be had is tried again */
  async function localEnd(
    transport: PortTransport,
    port: number | undefined,
    isAsked: boolean,
  ): Promise<LocalEnd | undefined> {
    if (port === undefined) return undefined
    const key = `${transport} ${port}`
    const known = ends.get(key)
    const rule = numberRule(transport, port, numbers.isAllowed)
    const isTried = isAsked && (known?.why === 'taken' || known?.why === 'no-free-port')
    if (known?.rule === rule && !isTried) return known
    const opened = await openEnd(transport, port, rule, known)
    if (opened.close !== known?.close) known?.close()
    ends.set(key, opened)
    return opened
  }

  /** @param known what leads to the port now, which stays where no better number can be had */
  async function openEnd(
    transport: PortTransport,
    port: number,
    rule: NumberRule,
    known: LocalEnd | undefined,
  ): Promise<LocalEnd> {
    const controller = new AbortController()
    const own = AbortSignal.any([signal, controller.signal])
    const close = () => controller.abort(new Error('the host shares the port here no longer'))
    if (rule === 'same') {
      const local = await open(transport, port, [port], own)
      if (local !== undefined) return { rule, local, why: undefined, close }
    }
    const why = rule === 'same' ? 'taken' : rule
    if (known?.local !== undefined && known.local !== port) return { ...known, rule, why }
    const local = await open(transport, port, freeNumbers(transport, port), own)
    return { rule, local, why: local === undefined ? 'no-free-port' : why, close }
  }

  /** The one that leads to the same port by the other transport comes first. */
  function freeNumbers(transport: PortTransport, port: number): readonly number[] {
    const { local } = ends.get(`${transport === 'tcp' ? 'udp' : 'tcp'} ${port}`) ?? {}
    const drawn = Array.from({ length: NUMBERS_TRIED }, dependencies.drawNumber)
    return local === undefined || local === port ? drawn : [local, ...drawn]
  }

  /** @returns the first of these that is free here */
  async function open(
    transport: PortTransport,
    port: number,
    ports: readonly number[],
    own: AbortSignal,
  ): Promise<number | undefined> {
    if (transport === 'udp') return (await openUdpPort(dependencies, ports, () => port, own))?.port
    const opened = await openTcpPort(dependencies, ports, () => port, own).catch(() => undefined)
    if (opened) dependencies.hold(opened.closed)
    return opened?.port
  }
}
