import { generateRoomCode } from '@lantern-room/protocol'
import { memberArgs } from '#support/easytier/hosts'
import { routeSeenBy, startCore } from '#support/easytier/program'
import type { NatPlace, NatWorld } from '#support/namespaces/natWorld'
import { withClosing } from '#support/process/closing'
import { until } from '#support/values/until'
import { cpuSecondsOf } from './measure'
import { type Direction, type Outcome, transfer } from './transfer'

const PORTS = [25_565, 25_566, 25_567]

/**
 * Plain TCP to a forward of the real program, whose other end hands it to the host's port.
 * @param node undefined where the guest connects to the host
 */
export function realTransfer(
  world: Pick<NatWorld, 'host' | 'guest'>,
  carrier: 'tcp' | 'udp',
  node: string | undefined,
  seconds: number,
  direction: Direction = 'down',
): Promise<Outcome> {
  const room = generateRoomCode()
  const flags = ['--enable-kcp-proxy', '--disable-udp-hole-punching', '--disable-tcp-hole-punching']
  const start = ({ inside }: NatPlace, peer: string | undefined, own: readonly string[]) => {
    const nodes = peer === undefined ? [] : [peer]
    const listeners = ['--listeners', `${carrier}://0.0.0.0:11010`]
    return startCore(inside, [...memberArgs(room, { nodes, flags: [...flags, ...listeners] }), ...own])
  }
  return withClosing(async ({ add }) => {
    const host = await start(world.host, node, ['--hostname', 'host', '--ipv4', '10.144.144.1'])
    add(host.kill)
    const forwards = PORTS.flatMap((port) => [
      '--port-forward',
      `tcp://127.0.0.1:${port}/10.144.144.1:${port}`,
    ])
    const own = ['--hostname', 'guest', '--ipv4', '10.144.144.2', ...forwards]
    const guest = await start(world.guest, node ?? `${carrier}://${world.host.address}:11010`, own)
    add(guest.kill)
    const isThere = async () => (await routeSeenBy(guest, 'host')) !== undefined
    await until('the two have met', isThere, { ms: 30_000, everyMs: 100 })
    const cpuSeconds = () => cpuSecondsOf(host.process.pid) + cpuSecondsOf(guest.process.pid)
    const before = cpuSeconds()
    const outcome = await transfer(world, 'plain', '127.0.0.1:25565', seconds, direction)
    const perGigabyte = ((cpuSeconds() - before) * 1000) / (outcome.megabytesPerSecond * seconds)
    return { ...outcome, cpuPerGigabyte: outcome.cpuPerGigabyte + perGigabyte }
  })
}
