import { type Alarm, createAlarm } from '@lantern-room/base/async'
import type { Network, RemotePeer } from '@lantern-room/easytier'
import { RoomFailure } from '../../failure'
import type { JoinOptions } from '../../roomNetwork'
import { type GuestNetwork, openGuestNetwork } from '../members/guestNetwork'
import { isConnectedToNode, type RoomNetworkOptions } from '../members/memberNetwork'
import { findHost } from '../members/members'
import { networkIdentityOf } from '../members/networkIdentity'
import { noRelayReachable, notFoundBeside, refusalOf } from '../members/outage'
import { createHostProof, type HostProof, HostQuestions, type KnownHost } from './hostProof'
import { decide, SEARCH_FAILURE_TEXTS, type SearchFailure } from './policy'

/** What is searched for, and who is told of the steps. */
export type Sought = Pick<JoinOptions, 'room' | 'onStatus'> & Partial<Pick<JoinOptions, 'onStep'>>

/** The network of a room, in which its host was found. */
export type FoundRoom = GuestNetwork & {
  readonly host: {
    readonly peer: RemotePeer
    readonly hasAnswered: boolean
    /** Whether others call themselves the host, and no key tells which one is meant. */
    readonly isOneOfSeveral: boolean
  }
  readonly proof: HostProof
  readonly questions: HostQuestions
}

/**
 * Searches for the host in the one network that the code stands for: nothing of the search for a private room depends on
 * the open network that the same characters would name, and the other way around.
 * @param signal closes the network, also after the host was found
 * @throws RoomFailure `no-relay-reachable`, `no-internet`, `wifi-login`, `host-not-found`, `several-hosts`, `host-changed`, `wrong-room`, `network-failed`
 */
export async function discoverRoom(
  options: RoomNetworkOptions,
  sought: Sought,
  known: KnownHost,
  signal: AbortSignal,
): Promise<FoundRoom> {
  const { room } = sought
  const { secureStreams, clock } = options
  const identity = await networkIdentityOf(room, options)
  signal.throwIfAborted()
  const { member, changes, meet } = await openGuestNetwork(options, identity, signal)
  const proof = createHostProof({
    network: member.network,
    room,
    secureStreams,
    clock,
    signal: member.signal,
  })
  const onProved = changes.emit
  const questions = new HostQuestions({ proof, known, onProved, clock, signal: member.signal })
  const alarm = createAlarm(clock)
  changes.subscribe(alarm.wake)
  sought.onStep?.('connecting-nodes')
  try {
    const needsProof = known.key !== undefined
    const host = await search(options, sought, member, questions, needsProof, alarm)
    return { member, changes, meet, host, proof, questions }
  } catch (error) {
    await member.close(new Error('the search for the host is over'))
    throw error
  }
}

/** Resolves with the host: the one that is known, or else the first that is there or has answered. @throws RoomFailure */
async function search(
  options: RoomNetworkOptions,
  sought: Sought,
  { network, signal }: GuestNetwork['member'],
  questions: HostQuestions,
  needsProof: boolean,
  alarm: Alarm,
): Promise<FoundRoom['host']> {
  const { clock, nodes, invitedNodes = [] } = options
  const { privacy } = sought.room
  const startedAt = clock.now()
  let connectedAt: number | undefined
  for (;;) {
    signal.throwIfAborted()
    const now = clock.now()
    const hosts = findHost(network.peers())
    const areSeveral = hosts.length > 1
    if (needsProof || areSeveral) questions.ask(hosts)
    const isNewlyConnected = connectedAt === undefined && isConnected(network)
    if (isNewlyConnected) connectedAt = now
    const proved = questions.proved(hosts)
    const decision = decide({
      hosts,
      proved,
      others: questions.others(hosts),
      needsProof,
      elapsedMs: now - startedAt,
      connectedMs: elapsedSince(connectedAt, now),
      hasNodes: nodes.length + invitedNodes.length > 0,
      wasRefused: network.wasRefused(),
      isRefusedEverywhere: network.isRefusedEverywhere(),
    })
    if (decision.kind === 'found') {
      const { host } = decision
      questions.ask([])
      return { peer: host, hasAnswered: proved.includes(host), isOneOfSeveral: !needsProof && areSeveral }
    }
    if (isNewlyConnected) sought.onStep?.('looking-for-host')
    sought.onStatus?.({
      privacy,
      nodes: network.nodes(),
      mappings: [],
      path: undefined,
      difficulty: 'UNKNOWN',
    })
    if (decision.kind === 'failed') throw await failureOf(decision.code, network, options)
    await alarm.wait(decision.ms, signal)
  }
}

function elapsedSince(at: number | undefined, now: number): number | undefined {
  return at === undefined ? undefined : now - at
}

function isConnected(network: Network): boolean {
  return isConnectedToNode(network) || network.peers().length > 0
}

async function failureOf(
  code: SearchFailure,
  network: Network,
  options: RoomNetworkOptions,
): Promise<RoomFailure> {
  if (code === 'no-relay-reachable') return noRelayReachable(options, network)
  const refusal = code === 'host-not-found' ? refusalOf(network) : undefined
  if (refusal) return notFoundBeside(refusal)
  const { nodes, invitedNodes = [] } = options
  // An invitation names the host's nodes, and two that have none meet on the LAN alone.
  const mayBeElsewhere = nodes.length > 0 && invitedNodes.length === 0
  const hintCode = code === 'host-not-found' && mayBeElsewhere ? 'other-nodes' : undefined
  return new RoomFailure(code, SEARCH_FAILURE_TEXTS[code], { hintCode })
}
