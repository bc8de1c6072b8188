import { openInternet, type Places } from '../namespaces/namespaces'
import { runRelay } from '../network/relayProcess'
import { type Closing, withClosing } from '../process/closing'
import { type Guest, startGuest } from './guests'
import { type Host, type Setting, startHost } from './hosts'
import { type Core, startCore } from './program'
import { type RemoteMachine, startRemoteMachine } from './remoteMachine'

type Name = 'host' | 'guest' | 'other' | 'node'

export type NodeKind = 'a real shared node' | 'our relay'

/** Who is ours and who is the real program. */
export const PAIRS = [
  { host: 'ours', guest: 'real', title: 'our host, a real guest' },
  { host: 'real', guest: 'ours', title: 'a real host, our guest' },
] as const
export type Pair = (typeof PAIRS)[number]

/** Machines in an internet of their own, which leads nowhere else. */
export type Testbed = Pick<Closing, 'keep' | 'add'> & {
  readonly net: Places<Name>
  readonly workers: Readonly<Record<Name, RemoteMachine>>
  /** @param flags more of its command line */
  startNode(
    kind: NodeKind,
    flags?: readonly string[],
  ): Promise<{ kill(): Promise<void>; restart(): Promise<void> }>
  nodeUrl(carrier?: 'tcp' | 'udp' | 'ws'): string
  host(kind: Pair['host'], setting?: Partial<Setting>): Promise<Host>
  guest(
    kind: Pair['guest'],
    host: Host,
    more?: Partial<Setting> & { readonly by?: 'by cli'; readonly at?: 'guest' | 'other' },
  ): Promise<Guest>
}

/**
 * Everything that `act` has started is ended after it, whatever happened.
 * @param openNet whether the machines are in houses of their own, or on one LAN
 */
export function withTestbed(
  act: (testbed: Testbed) => Promise<void>,
  openNet: typeof openInternet = openInternet,
): Promise<void> {
  return withClosing(async ({ keep, add }) => {
    const net = await openNet('host', 'guest', 'other', 'node')
    add(net.remove)
    const worker = (name: Name) => keep(startRemoteMachine(net[name].inside))
    const workers = {
      host: worker('host'),
      guest: worker('guest'),
      other: worker('other'),
      node: worker('node'),
    }
    const nodeUrl = (carrier = 'tcp') =>
      `${carrier}://${net.node.address}:${carrier === 'ws' ? 11_011 : 11_010}`
    const settingOf = (name: Name, more: Partial<Setting> = {}): Setting => ({
      inside: net[name].inside,
      worker: workers[name],
      nodes: [nodeUrl()],
      flags: ['--enable-kcp-proxy'],
      ...more,
    })
    await act({
      keep,
      add,
      net,
      workers,
      nodeUrl,
      async startNode(kind, flags = []) {
        const start = async () =>
          kind === 'our relay' ? runRelay(net.node, flags) : (await startRealNode(net.node, flags)).process
        let node = await start()
        const kill = () => node.end('SIGKILL')
        add(kill)
        return {
          kill,
          async restart() {
            node = await start()
          },
        }
      },
      host: async (kind, setting) => keep(await startHost(kind, settingOf('host', setting))),
      guest: async (kind, host, { by, at = 'guest', ...more } = {}) =>
        keep(await startGuest(kind, settingOf(at, more), host, by)),
    })
  })
}

function startRealNode(
  { inside }: { readonly inside: readonly string[] },
  flags: readonly string[],
): Promise<Core> {
  return startCore(inside, [
    ...['--network-name', 'a node', '--network-secret', 'of its own', '--hostname', 'node'],
    ...['--rpc-portal', '127.0.0.1:15888', '--console-log-level', 'warn'],
    ...['--listeners', 'tcp://0.0.0.0:11010', 'udp://0.0.0.0:11010', 'ws://0.0.0.0:11011'],
    ...flags,
  ])
}
