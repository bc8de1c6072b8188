import { createSystemClock } from '@lantern-room/adapters/system'
import { composeRelay } from '../../../local-runner/room/relay/compose'
import { silentLog } from '../values/testLog'

export type TestRelay = Awaited<ReturnType<typeof startRelay>>
export type TestRelayLimits = Parameters<typeof composeRelay>[0]['limits']

/** A shared node of ours in this process, on loopback. @param ports free ones, unless an earlier one is to return */
export async function startRelay(
  limits: Partial<TestRelayLimits> = {},
  ports = { tcp: 0, udp: 0, ws: 0 },
  clock = createSystemClock(),
  acceptsOthers = false,
) {
  const relay = await composeRelay(
    {
      host: '127.0.0.1',
      name: 'test',
      acceptsOthers,
      ports,
      limits: {
        networks: 100,
        membersPerNetwork: 64,
        connectionsPerAddress: 1000,
        bytesPerSecond: 1e9,
        totalBytesPerSecond: undefined,
        ...limits,
      },
    },
    silentLog(),
    clock,
  )
  const { tcp, udp, ws } = relay.urls
  if (!tcp || !udp || !ws) throw new Error('a listener of the relay is missing')
  return { urls: { tcp, udp, ws }, counters: relay.counters, close: relay.close }
}
