import { type ExtraPort, type ShownPort, samePort } from '../../extraPorts'
import { type LocalPortDependencies, openTcpPort, openUdpPort } from './localPort'

export type ExtraForwards = ReturnType<typeof createExtraForwards>

/** UDP ports from the host's number on that are tried. */
const UDP_PORTS_TRIED = 20

/** Local ports that lead to the host's extra ports. @param onChange called with the whole list at each change */
export function createExtraForwards(
  dependencies: LocalPortDependencies & { readonly hold: (closing: Promise<unknown>) => void },
  onChange: (shown: readonly ShownPort[]) => void,
  signal: AbortSignal,
) {
  let open: readonly { readonly shown: ShownPort; readonly close: () => void }[] = []
  let last: Promise<void> = Promise.resolve()
  let wanted: readonly ExtraPort[] = []

  return {
    /** Opens what is new in the host's list and closes what is no longer in it, one change after the other. Never rejects. */
    update(ports: readonly ExtraPort[]): Promise<void> {
      if (isSameList(wanted, ports)) return last
      wanted = ports
      last = last.then(() => replace(ports)).catch(() => undefined)
      return last
    },
  }

  async function replace(ports: readonly ExtraPort[]): Promise<void> {
    const kept = open.filter(({ shown }) => ports.some((port) => samePort(port, shown)))
    for (const one of open) if (!kept.includes(one)) one.close()
    const next: (typeof open)[number][] = []
    for (const port of ports) {
      next.push(kept.find(({ shown }) => samePort(port, shown)) ?? (await openOne(port)))
    }
    open = next
    onChange(open.map(({ shown }) => shown))
  }

  async function openOne(port: ExtraPort): Promise<(typeof open)[number]> {
    const controller = new AbortController()
    const own = AbortSignal.any([signal, controller.signal])
    const [localTcp, localUdp] = await Promise.all([openTcp(port.tcp, own), openUdp(port.udp, own)])
    return {
      shown: { ...port, localTcp, localUdp },
      close: () => controller.abort(new Error('the host shares the port no longer')),
    }
  }

  async function openTcp(port: number | undefined, own: AbortSignal): Promise<number | undefined> {
    if (port === undefined) return undefined
    const opened = await openTcpPort(dependencies, [port, 0], () => port, own).catch(() => undefined)
    if (opened) dependencies.hold(opened.closed)
    return opened?.port
  }

  async function openUdp(port: number | undefined, own: AbortSignal): Promise<number | undefined> {
    if (port === undefined) return undefined
    const ports = Array.from({ length: UDP_PORTS_TRIED }, (_, at) => port + at).filter((one) => one <= 65_535)
    return (await openUdpPort(dependencies, ports, () => port, own))?.port
  }
}

function isSameList(some: readonly ExtraPort[], others: readonly ExtraPort[]): boolean {
  return some.length === others.length && some.every((port, at) => samePort(port, others[at] ?? port))
}
