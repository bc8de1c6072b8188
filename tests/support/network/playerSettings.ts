import type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'
import { silentLog } from '#support/values/testLog'

/** How the network of a player is opened who knows no shared node, meets anyone, and accepts nothing. @param number from 1 */
export function playerSettings(number: number) {
  return {
    identity: { name: 'room', secret: 'secret' },
    lan: { key: 'lan', announces: false },
    hostname: `player-${number}`,
    address: `10.144.144.${number}`,
    version: '0',
    nodes: [],
    stunServers: [],
    isDirect: true,
    log: silentLog(),
    wantsDirect: () => true,
    onChange() {},
    acceptsTcp: () => false,
    acceptsUdp: () => false,
    onStream: (stream: ByteStream) => stream.destroy(),
    onFlow: (flow: DatagramFlow) => flow.close(),
  }
}
