import { type Alarm, createAlarm } from '@lantern-room/base/async'
import type { Network } from '@lantern-room/easytier'
import { RoomFailure } from '../../failure'
import type { FindOptions, JoinOptions } from '../../roomNetwork'
import { isConnectedToNode, type RoomNetworkOptions } from '../members/memberNetwork'
import { findHost } from '../members/members'
import { networkIdentityOf } from '../members/networkIdentity'
import { noRelayReachable } from '../members/outage'
import { type OpenedRoom, openRoom } from './guestNetwork'
import { createHostProof } from './hostProof'
import { createHostAnswers } from './hostQuestions'
import { createKnownHost, type KnownHost } from './knownHost'
import { decide, SEARCH_FAILURE_TEXTS, type SearchFailure } from './searchDecision'

/** The network of a room, in which its host was found. */
export type FoundRoom = Awaited<ReturnType<typeof discoverRoom>>

/**
 * Searches for the host in the one network that the code stands for: nothing of the search for a private room depends on
 * the open network that the same characters would name, and the other way around.
 * @throws RoomFailure `no-relay-reachable`, `no-internet`, `wifi-login`, `host-not-found`, `several-hosts`, `host-changed`, `wrong-room`, `network-failed`
 */
export async function discoverRoom(options: RoomNetworkOptions, request: JoinOptions, known: KnownHost) {
  const { room, signal } = request
  const alarm = createAlarm(options.clock)
  const identity = await networkIdentityOf(room, options)
  signal.throwIfAborted()
  const opened = await openRoom(options, request, alarm, identity)
  const { member } = opened
  const { secureStreams, clock } = options
  const proof = createHostProof({
    network: member.network,
    room,
    secureStreams,
    clock,
    signal: member.signal,
  })
  const over = new AbortController()
  const either = AbortSignal.any([member.signal, over.signal])
  const answers = createHostAnswers({ proof, known, clock, signal: either, onAnswer: alarm.wake })
  request.onStep('connecting-nodes')
  try {
    const host = await search(opened, answers, options, request, alarm)
    return { ...opened, host, known, proof }
  } catch (error) {
    await member.close(new Error('the search for the host is over'))
    throw error
  } finally {
    over.abort(new Error('the search for the host is over'))
  }
}

/**
 * Searches for a host, and leaves. Whoever only looks is gone before a router or a server for addresses could help.
 * @throws as `discoverRoom` does
 */
export async function findRoom(options: RoomNetworkOptions, request: FindOptions): Promise<void> {
  const transports = { ...options.transports, routers: undefined }
  const looking = { ...options, transports, stunServers: [], friendRelay: false }
  const known = createKnownHost(undefined)
  const { member } = await discoverRoom(looking, { ...request, onStep() {} }, known)
  await member.close(new Error('the host was found'))
}

/** Resolves with the host: the one that is known, or else the first that is there or has answered. @throws RoomFailure */
async function search(
  { member, privacy }: OpenedRoom,
  answers: ReturnType<typeof createHostAnswers>,
  options: RoomNetworkOptions,
  request: JoinOptions,
  alarm: Alarm,
) {
  const { network } = member
  const { needsProof } = answers
  const { clock, nodes, invitedNodes = [] } = options
  const startedAt = clock.now()
  let connectedAt: number | undefined
  for (;;) {
    member.signal.throwIfAborted()
    const now = clock.now()
    const hosts = findHost(network.peers())
    if (needsProof || hosts.length > 1) answers.ask(hosts)
    const isNewlyConnected = connectedAt === undefined && isConnected(network)
    if (isNewlyConnected) connectedAt = now
    const proved = answers.proved(hosts)
    const decision = decide({
      hosts,
      proved,
      others: answers.others(hosts),
      needsProof,
      elapsedMs: now - startedAt,
      connectedMs: elapsedSince(connectedAt, now),
      hasNodes: nodes.length + invitedNodes.length > 0,
      wasRefused: network.wasRefused(),
      isRefusedEverywhere: network.isRefusedEverywhere(),
    })
    if (decision.kind === 'found') {
      const { host } = decision
      return { peer: host, hasAnswered: proved.includes(host), isOneOfSeveral: answers.areSeveral(hosts) }
    }
    if (isNewlyConnected) request.onStep('looking-for-host')
    request.onStatus?.({
      privacy,
      nodes: network.nodes(),
      mappings: [],
      path: undefined,
      difficulty: 'UNKNOWN',
    })
    if (decision.kind === 'failed') throw await failureOf(decision.code, network, options)
    await alarm.wait(decision.ms, request.signal)
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
  return new RoomFailure(code, SEARCH_FAILURE_TEXTS[code])
}
