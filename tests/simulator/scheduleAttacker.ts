import type { NetworkIdentity } from '@lantern-room/easytier'
import type { Connection } from '@lantern-room/easytier/transport'
import { rpcMethods } from '@lantern-room/easytier/wire'
import { networkKey } from '#internal/easytier/crypto/networkIdentity'
import { createPacketCipher, type PacketCipher } from '#internal/easytier/crypto/packetCipher'
import { readListeners } from '#internal/easytier/dialing/listenerList'
import { Peer } from '#internal/easytier/peer/peer'
import { newRecord } from '#internal/easytier/peer/routing/ownRoute'
import { randomId } from '#internal/easytier/random'
import { encodePacket } from '#internal/easytier/wire/packet'
import { MEMBER_FEATURES } from '#support/network/memberRecord'
import type { AttackContext } from './attacks/attackContext'
import { attacks } from './attacks/attacks'
import { dialTargets } from './attacks/dialTargets'
import type { AttackerPlan } from './scenario'
import { identityOf, RELAY_PORT, relayAddress, type SimulationContext } from './simulationContext'

type Attacker = { stop(): Promise<void> }

const ATTACK_EVERY_MS = 700

export function scheduleAttacker(place: SimulationContext): void {
  const { clock, scenario, trace } = place
  const { attacker: plan } = scenario
  if (!plan) return
  let attacker: Attacker | undefined
  clock.after(plan.startMs, () => {
    void startAttacker(place, plan, identityOf(place)).then((started) => {
      attacker = started
    })
  })
  clock.after(plan.endMs, () => {
    trace.note('the attacker leaves')
    void attacker?.stop()
  })
}

/** A member with the right secret who greets as it should, and then does not tell the truth. */
async function startAttacker(
  place: SimulationContext,
  plan: AttackerPlan,
  identity: NetworkIdentity,
): Promise<Attacker> {
  const { net, clock, trace } = place
  const chance = place.chance.fork('liar')
  const machine = net.machine('66.6.6.6')
  const { transports } = machine
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
  if (plan.attacks.includes('dial-targets')) dialTargets(context)
  await Promise.all(
    place.scenario.relays.map((_, relay) => connect(relayAddress(relay), RELAY_PORT, 'relay')),
  )
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
      trace.note(`attacker: ${String(error)}`)
    } finally {
      cancelLimit()
    }
  }

  function attack(): void {
    cancel = clock.after(ATTACK_EVERY_MS, attack)
    const name = plan.attacks[chance.integer(0, plan.attacks.length - 1)] ?? 'noise'
    trace.note(`attacker: ${name}`)
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
