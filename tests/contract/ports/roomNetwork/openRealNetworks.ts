import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import type { Connection, Transports } from '@lantern-room/easytier/transport'
import type { RoomNetwork } from '@lantern-room/room/network'
import type { SecureStreams } from '@lantern-room/room/ports'
import { startRelay, type TestRelay } from '#support/network/relay'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { silentLog } from '#support/values/testLog'
import type { NetworkFixture } from './networkFixture'

/** A player may encrypt in another way than usual. */
export type RealNetworks = Omit<NetworkFixture, 'roomNetwork'> & {
  roomNetwork(secureStreams?: SecureStreams): RoomNetwork
}

/** Real sockets on loopback. @param options.nodes transports by which a relay is reached; none = there is no relay */
export async function openRealNetworks(options: {
  isDirect: boolean
  readonly nodes?: readonly ('tcp' | 'udp' | 'ws')[]
}): Promise<RealNetworks> {
  const { isDirect, nodes = [] } = options
  const clock = createSystemClock()
  const open = new Set<string>()
  let relay: TestRelay | undefined = nodes.length > 0 ? await startRelay() : undefined
  const urls = nodes.flatMap((carrier) => relay?.urls[carrier] ?? [])
  const ports = relay && portsOf(relay)
  const transports = counted(
    createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() }),
    open,
  )

  return {
    roomNetwork: (secureStreams) =>
      testRoomNetwork({ transports, nodes: urls, isDirect, clock, ...(secureStreams && { secureStreams }) }),
    // Where the relay is the only way, the line is what leads to it.
    ...(!isDirect && {
      line: {
        async cut() {
          await relay?.close()
          relay = undefined
        },
        async heal() {
          relay = await startRelay({}, ports)
        },
      },
    }),
    leaks: () => [...open],
    async close() {
      await relay?.close()
    },
  }
}

function portsOf({ urls }: TestRelay) {
  const portOf = (url: string) => Number(/:(\d+)\/?$/.exec(url)?.[1])
  return { tcp: portOf(urls.tcp), udp: portOf(urls.udp), ws: portOf(urls.ws) }
}

/** The same transports; what is open is written down. */
function counted(transports: Transports, open: Set<string>): Transports {
  let last = 0
  const note = <T extends { readonly closed: Promise<unknown> }>(what: string, one: T): T => {
    last += 1
    const name = `${what} ${last}`
    open.add(name)
    void one.closed.then(() => open.delete(name))
    return one
  }
  return {
    ...transports,
    dialTcp: async (...order) => note('a connection', await transports.dialTcp(...order)),
    dialWs: async (...order) => note('a WebSocket', await transports.dialWs(...order)),
    listenTcp: async (port, onLink, signal) =>
      note(
        'a listener',
        await transports.listenTcp(port, (link: Connection) => onLink(note('an accepted one', link)), signal),
      ),
    openUdp: async (port) => note('a UDP socket', await transports.openUdp(port)),
  }
}
