import type { ExtraPort, ShownPort } from '../../extraPorts'
import { type LocalPortDependencies, openTcpPort, openUdpPort } from './localPort'

export type ExtraForwards = ReturnType<typeof createExtraForwards>

/** UDP ports from the host's number on that are tried. */
const UDP_PORTS_TRIED = 20

/** The local port that leads to a port of the host; undefined where none could be opened. */
type LocalEnd = { readonly local: number | undefined; readonly close: () => void }

/** Local ports that lead to the host's extra ports. @param onChange called with the whole list at each change */
export function createExtraForwards(
  dependencies: LocalPortDependencies & { readonly hold: (closing: Promise<unknown>) => void },
  onChange: (shown: readonly ShownPort[]) => void,
  signal: AbortSignal,
) {
  /** By transport and the host's number: a port that only gets another name stays open. */
  const ends = new Map<string, LocalEnd>()
  let last: Promise<void> = Promise.resolve()
  let wanted = '[]'

  return {
    /** Opens what is new in the host's list and closes what is no longer in it, one change after the other. Never rejects. */
    update(ports: readonly ExtraPort[]): Promise<void> {
      const text = JSON.stringify(ports)
      if (text === wanted) return last
      wanted = text
      last = last.then(() => replace(ports)).catch(() => undefined)
      return last
    },
  }

  async function replace(ports: readonly ExtraPort[]): Promise<void> {
    const keys = new Set(ports.flatMap(({ tcp, udp }) => [`tcp ${tcp}`, `udp ${udp}`]))
    for (const [key, { close }] of ends) {
      if (keys.has(key)) continue
      ends.delete(key)
      close()
    }
    const shown: ShownPort[] = []
    for (const port of ports) {
      shown.push({
        ...port,
        localTcp: await localEnd('tcp', port.tcp),
        localUdp: await localEnd('udp', port.udp),
      })
    }
    onChange(shown)
  }

  async function localEnd(transport: 'tcp' | 'udp', port: number | undefined): Promise<number | undefined> {
    if (port === undefined) return undefined
    const key = `${transport} ${port}`
    const known = ends.get(key)
    if (known) return known.local
    const controller = new AbortController()
    const own = AbortSignal.any([signal, controller.signal])
    const local = await (transport === 'tcp' ? openTcp(port, own) : openUdp(port, own))
    ends.set(key, { local, close: () => controller.abort(new Error('the host shares the port no longer')) })
    return local
  }

  async function openTcp(port: number, own: AbortSignal): Promise<number | undefined> {
    const opened = await openTcpPort(dependencies, [port, 0], () => port, own).catch(() => undefined)
    if (opened) dependencies.hold(opened.closed)
    return opened?.port
  }

  async function openUdp(port: number, own: AbortSignal): Promise<number | undefined> {
    const ports = Array.from({ length: UDP_PORTS_TRIED }, (_, at) => port + at).filter((one) => one <= 65_535)
    return (await openUdpPort(dependencies, ports, () => port, own))?.port
  }
}
