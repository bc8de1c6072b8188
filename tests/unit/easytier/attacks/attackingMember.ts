import type { Clock } from '@lantern-room/base/async'
import type { NetworkIdentity } from '@lantern-room/easytier'
import type { Connection, Transports } from '@lantern-room/easytier/transport'
import { rpcMethods } from '@lantern-room/easytier/wire'
import { networkKey } from '#internal/easytier/crypto/networkIdentity'
import { createPacketCipher, type PacketCipher } from '#internal/easytier/crypto/packetCipher'
import { readListeners } from '#internal/easytier/dialing/listenerList'
import { Peer } from '#internal/easytier/peer/peer'
import { newRecord } from '#internal/easytier/peer/routing/ownRoute'
import { randomId } from '#internal/easytier/random'
import { encodePacket } from '#internal/easytier/wire/packet'
import { MEMBER_FEATURES } from '#support/network/memberRecord'
import type { Prng } from '#support/values/prng'
import type { AttackContext } from './attackContext'
import { type AttackName, attacks } from './attacks'
import { dialTargets } from './dialTargets'

const ATTACK_EVERY_MS = 700

/**
 * A member with the right secret who greets as it should, and then does not tell the truth: one of the attacks, drawn by
 * chance, every 700 ms.
 * @param options.nodes the shared nodes that it dials
 * @param options.note told of each attack, and of what goes wrong
 */
export async function openAttackingMember(options: {
  readonly identity: NetworkIdentity
  readonly attacks: readonly AttackName[]
  readonly nodes: readonly { readonly address: string; readonly port: number }[]
  readonly transports: Transports
  readonly clock: Clock
  readonly chance: Prng
  readonly note: (text: string) => void
}): Promise<{ stop(): Promise<void> }> {
  const { identity, transports, clock, chance, note } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const ownId = randomId(chance.bytes)
  const links = new Set<Connection>()
  const node = Peer.open({
    identity,
    clock,
    randomBytes: chance.bytes,
    record: newRecord(
      {
        peerId: ownId,
        hostname: 'guest',
        address: '10.144.144.66',
        programVersion: '2.6.4',
        features: { ...MEMBER_FEATURES, takesRowLists: true },
      },
      chance.bytes,
    ),
  })
  const seal: PacketCipher = createPacketCipher(networkKey(identity.secret), chance.bytes)
  const context: AttackContext = {
    ownId,
    networkName: identity.name,
    chance,
    node,
    targets: () => node.peers().map(({ record }) => record.peerId),
    members: () =>
      node.peers().flatMap(({ record }) => (record.features.isSharedNode ? [] : [record.peerId])),
    sealed: (target, payload) => raw(seal.seal({ from: ownId, ...target }, payload).slice()),
    plain: (target, payload) => raw(encodePacket({ from: ownId, ...target }, payload)),
    raw,
  }

  // Members are asked for their listeners as soon as they are seen.
  if (options.attacks.includes('dial-targets')) dialTargets(context)
  await Promise.all(options.nodes.map(({ address, port }) => connect(address, port, 'relay')))
  let cancel = clock.after(ATTACK_EVERY_MS, attack)
  return {
    async stop() {
      cancel()
      stopping.abort()
      node.close()
    },
  }

  function raw(packet: Uint8Array): void {
    for (const link of links) if (packet.length >= 16 && packet.length <= 2000) link.send(packet)
  }

  async function connect(address: string, port: number, url?: string): Promise<void> {
    const limit = new AbortController()
    const cancelLimit = clock.after(3000, () => limit.abort(new Error('no answer')))
    try {
      const link = await transports.dialTcp({ address, port }, AbortSignal.any([signal, limit.signal]))
      if (signal.aborted) return link.close()
      links.add(link)
      void link.closed.then(() => links.delete(link))
      node.connections.take(link, { isDialler: true, ...(url && { url }) })
    } catch (error) {
      note(String(error))
    } finally {
      cancelLimit()
    }
  }

  function attack(): void {
    cancel = clock.after(ATTACK_EVERY_MS, attack)
    const name = options.attacks[chance.integer(0, options.attacks.length - 1)] ?? 'noise'
    note(name)
    attacks[name](context)
    if (chance.isTrue(0.3)) dialMember()
  }

  /** Connects to a member directly, as members do. */
  function dialMember(): void {
    const members = node
      .peers()
      .filter(({ record, connection }) => !record.features.isSharedNode && !connection)
    const member = members[chance.integer(0, Math.max(0, members.length - 1))]
    if (!member) return
    const request = rpcMethods.getIpList.request.encode({})
    node.call(member.record.peerId, 'getIpList', request, 2000, (result) => {
      const [url] =
        result.kind === 'response'
          ? readListeners(result.response).filter(({ scheme }) => scheme === 'tcp')
          : []
      if (url && !signal.aborted) void connect(url.host, url.port)
    })
  }
}
