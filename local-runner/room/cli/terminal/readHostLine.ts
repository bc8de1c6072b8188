import type { RoomApi, RoomView } from '@lantern-room/room'
import type { Say } from '@lantern-room/room/words'
import { isNamed, isOpen, namesOf, type Question, waitingOf } from './questions'

type KnownGuest = RoomView['guests'][number]

/** A line typed by the host. */
export type HostLine =
  | { readonly kind: 'approve' | 'refuse' | 'kick'; readonly id: string; readonly name: string }
  | { readonly kind: 'unclear'; readonly text: string }

/**
 * Reads a line of a host's input: the answer to a player who wants to join, or the removal of a guest. Names are compared in
 * any case; an id as `guests` has it does as well. Without a name it answers the very question that was shown last: whoever
 * else waits by then is not let in by it.
 * @returns undefined for an empty line
 */
export function readHostLine(
  line: string,
  { players, guests }: Pick<RoomView, 'players' | 'guests'>,
  asked: Question | undefined,
  say: Say,
): HostLine | undefined {
  const [, word = '', name = ''] = /^\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? []
  if (word === '') return undefined
  const command = word.toLowerCase()
  const answer = ANSWERS.get(command)
  if (answer && name === '') return answerLast(answer, guests, asked, say)
  // A player who was refused or removed is let in by its name only.
  const isMeant = ({ state }: KnownGuest) => state === 'waiting' || answer === 'approve'
  if (answer) return choose(answer, guests.filter(isMeant), name, waitingText(guests, say), say)
  if (command !== 'kick') return { kind: 'unclear', text: say('orders') }
  if (name === '') return { kind: 'unclear', text: say('nameless') }
  const inside = players.filter(({ kind }) => kind === 'GUEST')
  const guestsInside = inside.map(({ machineId, name: shown }) => ({ id: machineId, name: shown }))
  const members = guests.filter(({ state }) => state === 'unregistered' || state === 'second-host')
  return choose('kick', [...guestsInside, ...members], name, '', say)
}

const ANSWERS: ReadonlyMap<string, 'approve' | 'refuse'> = new Map([
  ['y', 'approve'],
  ['yes', 'approve'],
  ['n', 'refuse'],
  ['no', 'refuse'],
])

function answerLast(
  kind: 'approve' | 'refuse',
  guests: readonly KnownGuest[],
  asked: Question | undefined,
  say: Say,
): HostLine {
  // A member without a player is named, as its question says.
  if (asked?.state === 'waiting' && isOpen(asked, guests)) return { kind, id: asked.id, name: asked.name }
  const gone = asked?.state === 'waiting' ? say('gone', { name: asked.name }) : ''
  return {
    kind: 'unclear',
    text: `${gone}${waitingText(guests, say) || (gone ? '' : say('nobodyWaits'))}`.trim(),
  }
}

/** Who waits, and how they are answered; empty where nobody does. */
function waitingText(guests: readonly KnownGuest[], say: Say): string {
  const waiting = waitingOf(guests)
  return waiting.length === 0 ? '' : say('stillWaiting', { waiting: namesOf(waiting, say) })
}

type Candidate = { readonly id: string; readonly name: string }

/** @param others said after what is unclear */
function choose(
  kind: 'approve' | 'refuse' | 'kick',
  candidates: readonly Candidate[],
  name: string,
  others: string,
  say: Say,
): HostLine {
  const found = candidates.filter((one) => isNamed(one, name) || one.id === name)
  // Guests can choose ids that are each other's names: they could not be told apart. Who is let in by it is not for them to choose.
  const ids = kind === 'kick' ? found.filter(({ id }) => id === name) : []
  const matches = ids.length > 0 ? ids : found
  const [match, second] = matches
  if (!match) return { kind: 'unclear', text: `${say('unknownPlayer', { name })}${others}`.trim() }
  if (second) {
    const list = matches.map(({ id }) => id).join(', ')
    return { kind: 'unclear', text: `${say('severalPlayers', { ids: list })}${others}`.trim() }
  }
  return { kind, id: match.id, name: match.name }
}

/**
 * Carries out what the host types: answers to players who want to join, and removals.
 * @param asked what the host was asked last
 * @returns the answer
 */
export function obeyHost(
  line: string,
  { service, roomState }: Pick<RoomApi, 'service' | 'roomState'>,
  asked: Question | undefined,
  say: Say,
): string | undefined {
  const read = readHostLine(line, roomState.view(), asked, say)
  if (!read || read.kind === 'unclear') return read?.text
  service.guests()[read.kind](read.id)
  const others = roomState.view().guests.filter(({ id }) => id !== read.id)
  return `${say(read.kind, { name: read.name })}${waitingText(others, say)}`.trim()
}
