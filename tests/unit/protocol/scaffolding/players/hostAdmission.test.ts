import { ServiceError } from '@lantern-room/base'
import type { Member } from '@lantern-room/room/network'
import { THIS_MACHINE } from '#internal/protocol/members'
import { HostAdmission } from '#internal/protocol/scaffolding/players/hostAdmission'
import {
  type AdmissionPolicy,
  createHostDecisions,
} from '#internal/protocol/scaffolding/players/hostDecisions'
import { createPlayerRegistry, MAX_PLAYERS } from '#internal/protocol/scaffolding/players/registry'
import {
  MAX_WAITING,
  MAX_WAITING_PER_MEMBER,
  WAITING_EXPIRY_MS,
} from '#internal/protocol/scaffolding/players/waitingList'
import type { RoomCaller } from '#internal/protocol/scaffolding/wire/commands'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { isRefusal } from '#support/values/failures'
import { HOST } from '../hosted'
import { OPEN_POLICY } from '../openPolicy'

const test = suite('who may enter a room')

const APPROVAL: AdmissionPolicy = { needsApproval: true, allowed: [] }

function open(policy: AdmissionPolicy, decisions = createHostDecisions(policy), isPrivate = false) {
  const clock = createFakeClock()
  const registry = createPlayerRegistry({ host: HOST, clock, signal: new AbortController().signal })
  const addresses = new Map<string, string>()
  const members: Member[] = []
  let known = 0
  const admission = HostAdmission.open({
    registry,
    decisions,
    isPrivate,
    clock,
    memberOf: (id) => members.find((one) => one.id === id),
    addressOf: (memberId) => addresses.get(memberId),
    onKnown: () => known++,
  })
  const connect = (memberId: string) => {
    const closing = new AbortController()
    const caller: RoomCaller = { memberId, signal: closing.signal }
    return { caller, close: () => closing.abort() }
  }
  /** As `c:player_ping` does. @returns the verdict */
  const ping = (id: string, memberId: string, { name = id, caller = connect(memberId).caller } = {}) => {
    const player = { name, machineId: id, vendor: 'X 1' }
    try {
      if (!admission.admit(player, caller)) return 'waiting'
      registry.ping(player, memberId)
      return 'admitted'
    } catch (error) {
      if (error instanceof ServiceError) return error.code
      throw error
    }
  }
  const inside = () => registry.list().flatMap(({ machineId, kind }) => (kind === 'HOST' ? [] : [machineId]))
  const guests = () => admission.guests().map(({ id, state }) => `${id} ${state}`)
  return {
    clock,
    admission,
    decisions,
    addresses,
    members,
    connect,
    ping,
    inside,
    guests,
    known: () => known,
  }
}

const isNotFound = isRefusal('not-found')

test('who waits is forgotten when its connection closes, or after a minute without a sign', async () => {
  const { clock, connect, ping, guests } = open(APPROVAL)
  const { caller, close } = connect('1')
  ping('a', '1', { caller })
  ping('b', '2')
  close()
  assert.equal(guests(), ['b waiting'])
  await clock.advance(WAITING_EXPIRY_MS - 1)
  assert.equal(guests(), ['b waiting'])
  await clock.advance(1)
  assert.equal([guests(), clock.timers], [[], 0])
})

test('the machine id of a player who waits cannot be taken, and few can wait', () => {
  const { admission, ping } = open(APPROVAL)
  ping('a', '1')
  assert.is(ping('a', '2'), 'waiting')
  assert.equal([admission.waitingOf('2'), admission.waitingOf('1').length], [[], 1])
  for (let number = 1; number < MAX_WAITING_PER_MEMBER; number++) ping(`a${number}`, '1')
  assert.is(ping('one-more', '1'), 'too-busy')
  for (let number = MAX_WAITING_PER_MEMBER; number < MAX_WAITING; number++) {
    assert.is(ping(`b${number}`, `m${number}`), 'waiting')
  }
  assert.equal(
    [ping('late', 'late'), admission.waitingOf('1').length],
    ['waiting', MAX_WAITING_PER_MEMBER - 1],
  )
})

test('who cannot be let in because the room is full waits on, and is not let in later without the host', async () => {
  const { admission, decisions, ping, guests, clock } = open({ needsApproval: true, allowed: ['Friend'] })
  for (let at = 1; at < MAX_PLAYERS; at++) assert.is(ping(`f${at}`, `m${at}`, { name: 'Friend' }), 'admitted')
  assert.is(ping('a', 'late'), 'waiting')
  assert.throws(() => admission.approve('a'), isRefusal('too-busy'))
  assert.equal([guests(), [...decisions.approved]], [['a waiting'], []])
  await clock.advance(20_000)
  assert.is(ping('a', 'late'), 'waiting')
  admission.approve('a')
  assert.is(ping('a', 'late'), 'admitted')
})

test('a removed player is refused by its id, its member and its address, and no one else is', () => {
  const { admission, addresses, ping, inside, guests } = open(OPEN_POLICY)
  addresses.set('1', '192.0.2.1').set('2', '192.0.2.1').set('3', '192.0.2.1')
  ping('a', '1')
  ping('a2', '1')
  ping('sibling', '2')
  assert.is(admission.remove('a'), '1')
  assert.equal([inside(), guests()], [['sibling'], ['a removed', 'a2 removed']])
  assert.equal([admission.isBanned('1'), admission.isBanned('2')], [true, false])
  assert.is(ping('a', '9'), 'forbidden')
  assert.is(ping('other', '1'), 'forbidden')
  assert.is(ping('other', '3'), 'forbidden')
  assert.is(ping('sibling', '2'), 'admitted')
  assert.is(ping('friend', '4'), 'admitted')
})

test('after a removal only members with a player reach the world', () => {
  const { admission, ping } = open(OPEN_POLICY)
  ping('a', '1')
  admission.remove('a')
  assert.is(admission.accessOf('5'), 'waiting')
  ping('b', '5')
  assert.is(admission.accessOf('5'), 'admitted')
})

test('a removal is taken back by approval', () => {
  const { admission, addresses, ping } = open(OPEN_POLICY)
  addresses.set('1', '192.0.2.1')
  ping('a', '1')
  ping('a2', '1')
  admission.remove('a')
  admission.approve('a')
  assert.is(admission.isBanned('1'), false)
  assert.equal([ping('a', '1'), ping('a2', '1'), ping('c', '1')], ['admitted', 'forbidden', 'admitted'])
})

test('a program on this machine is removed by its id only', () => {
  const { admission, ping, inside } = open(OPEN_POLICY)
  ping('a', THIS_MACHINE)
  ping('b', THIS_MACHINE)
  assert.is(admission.remove('a'), undefined)
  assert.equal([inside(), ping('a', THIS_MACHINE), ping('b', THIS_MACHINE)], [['b'], 'forbidden', 'admitted'])
})

const proofOf = (byte: number) => new Uint8Array(32).fill(byte)

/** A private room with three players, of whom `a` was removed. All but `c` have shown a proof. */
function openClosed(policy = OPEN_POLICY) {
  const room = open(policy, createHostDecisions(policy), true)
  const comeWith = (id: string, memberId: string, byte?: number) => {
    const { caller } = room.connect(memberId)
    if (byte !== undefined) room.admission.prove(proofOf(byte), caller)
    return { caller, verdict: room.ping(id, memberId, { caller }) }
  }
  comeWith('a', '1', 1)
  comeWith('b', '2', 2)
  comeWith('c', '3')
  room.admission.remove('a')
  return { ...room, comeWith }
}

test('in a private room strangers wait once somebody was removed, and those who were there do not', () => {
  const { comeWith, guests, admission, inside } = openClosed()
  assert.equal(inside(), ['b', 'c'])
  assert.is(comeWith('b', '2', 2).verdict, 'admitted')
  assert.is(comeWith('c', '3').verdict, 'admitted', 'by its member, where its program proves nothing')
  assert.is(comeWith('d', '4', 4).verdict, 'waiting')
  assert.is(comeWith('a', '5', 1).verdict, 'forbidden')
  assert.equal(guests(), ['d waiting', 'a removed'])
  admission.approve('d')
  assert.is(comeWith('d', '6', 4).verdict, 'admitted', 'by another member, with its proof')
  admission.approve('a')
  assert.is(comeWith('e', '7', 7).verdict, 'admitted', 'nobody is removed any more')
})

test('who comes back as another member is in the room at once, although the earlier one seems to be connected', () => {
  const { comeWith, admission, inside } = openClosed()
  assert.is(comeWith('b', '9', 2).verdict, 'admitted')
  assert.equal([admission.accessOf('9'), admission.accessOf('2')], ['admitted', 'waiting'])
  assert.equal(inside().sort(), ['b', 'c'])
  assert.is(comeWith('b', '8', 8).verdict, 'waiting', 'the id alone takes nothing away')
  assert.is(admission.accessOf('9'), 'admitted')
})

test('each player who can be recognised from now on is told of once, so that this can be kept', () => {
  const { comeWith, known } = openClosed()
  assert.is(known(), 2)
  comeWith('b', '2', 2)
  comeWith('d', '4', 4)
  assert.is(known(), 2)
})

test('a machine id, which all players see, lets nobody in', async () => {
  const { comeWith, clock, inside } = openClosed()
  assert.equal(inside(), ['b', 'c'])
  await clock.advance(60_000)
  assert.is(comeWith('b', '9', 9).verdict, 'waiting')
  assert.is(comeWith('b', '9').verdict, 'waiting')
  assert.is(comeWith('c', '9').verdict, 'waiting')
  assert.equal(inside(), [])
})

test('the list of allowed players holds, and lets nobody wait', () => {
  const { comeWith } = openClosed({ needsApproval: false, allowed: ['a', 'b', 'c', 'Kim'] })
  assert.is(comeWith('Kim', '4').verdict, 'admitted')
  assert.is(comeWith('d', '5').verdict, 'forbidden')
})

test('who is in the room is told by its proof, on each connection of its own', () => {
  const { admission, connect, comeWith } = openClosed()
  const { caller } = connect('2')
  assert.ok(admission.prove(proofOf(2), caller))
  assert.not(
    admission.prove(proofOf(3), caller),
    'another one by a connection in the name of the same member',
  )
  assert.not(admission.prove(proofOf(2), connect('4').caller), 'another member')
  assert.not(admission.prove(proofOf(1), connect('1').caller), 'the removed one')
  const { caller: waiting } = comeWith('d', '5', 5)
  assert.not(admission.prove(proofOf(5), waiting), 'who waits')
})

const LAPTOP: Member = { id: '7', hostname: 'laptop\u202e', address: undefined }

test('a member without a player is removed by its id, as a player is, and let in again by it', () => {
  const { admission, members, addresses, ping, guests } = open(OPEN_POLICY)
  assert.throws(() => admission.remove('member:7'), isNotFound)
  assert.throws(() => admission.approve('member:7'), isNotFound)
  members.push(LAPTOP)
  addresses.set('7', '192.0.2.7').set('8', '192.0.2.7')
  assert.is(admission.remove('member:7'), '7')
  assert.equal([admission.accessOf('7'), admission.isBanned('7')], ['refused', true])
  assert.equal(admission.guests(), [{ id: 'member:7', name: 'laptop', vendor: '', state: 'removed' }])
  assert.is(ping('a', '7'), 'forbidden')
  assert.is(ping('a', '8'), 'forbidden', 'also as another member of that machine')
  admission.approve('member:7')
  assert.equal([admission.accessOf('7'), guests()], ['admitted', []])
})

test('a member is removed by its id with its players, and those of it that wait', () => {
  const { admission, members, ping, inside, guests } = open({ needsApproval: true, allowed: ['in'] })
  members.push(LAPTOP)
  assert.equal(
    [ping('a', '7', { name: 'in' }), ping('b', '7'), ping('c', '8')],
    ['admitted', 'waiting', 'waiting'],
  )
  admission.remove('member:7')
  assert.equal([inside(), guests()], [[], ['c waiting', 'a removed', 'b removed']])
  assert.throws(() => admission.approve('member:7'), isNotFound)
})

test('a refusal does not take the place of another player of the same member', () => {
  const { admission, ping, inside } = open(APPROVAL)
  ping('a', '1')
  admission.approve('a')
  ping('b', '1')
  assert.is(admission.refuse('b'), undefined)
  assert.equal(
    [ping('a', '1'), inside(), admission.accessOf('1'), ping('b', '1')],
    ['admitted', ['a'], 'admitted', 'forbidden'],
  )
})

test.run()
