import type { RoomApi } from '#core/room/roomApi'
import type { RoomView } from '#core/room/service/state/roomView'
import type { Say } from '#core/room/words/words'

/** A line typed by the host. */
export type HostLine =
  | { readonly kind: 'approve' | 'refuse' | 'kick'; readonly id: string; readonly name: string }
  | { readonly kind: 'unclear'; readonly text: string }

/**
 * Reads a line of a host's input: the answer to a player who wants to join, the one who has waited longest where none is
 * named, or the removal of a guest. Names are compared in any case; an id as `guests` has it does as well.
 * @returns undefined for an empty line
 */
export function readHostLine(
  line: string,
  { players, guests }: Pick<RoomView, 'players' | 'guests'>,
  say: Say,
): HostLine | undefined {
  const [, word = '', name = ''] = /^\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? []
  if (word === '') return undefined
  const command = word.toLowerCase()
  const answer = ANSWERS.get(command)
  // A player who was refused or removed is let in by its name only.
  const isMeant = (state: string) => state === 'waiting' || (answer === 'approve' && name !== '')
  const asked = guests.filter(({ state }) => isMeant(state))
  if (answer) return choose(answer, asked, name, say)
  if (command !== 'kick') return { kind: 'unclear', text: say('orders') }
  if (name === '') return { kind: 'unclear', text: say('nameless') }
  const inside = players.filter(({ kind }) => kind === 'GUEST')
  const guestsInside = inside.map(({ machineId, name: shown }) => ({ id: machineId, name: shown }))
  const members = guests.filter(({ state }) => state === 'unregistered' || state === 'second-host')
  return choose('kick', [...guestsInside, ...members], name, say)
}

const ANSWERS: ReadonlyMap<string, 'approve' | 'refuse'> = new Map([
  ['y', 'approve'],
  ['yes', 'approve'],
  ['n', 'refuse'],
  ['no', 'refuse'],
])

type Candidate = { readonly id: string; readonly name: string }

function choose(
  kind: 'approve' | 'refuse' | 'kick',
  candidates: readonly Candidate[],
  name: string,
  say: Say,
): HostLine {
  const wanted = name.toLowerCase()
  const found = candidates.filter(
    (one) => wanted === '' || one.name.toLowerCase() === wanted || one.id === name,
  )
  // Guests can choose ids that are each other's names: they could not be told apart. Who is let in by it is not for them to choose.
  const ids = kind === 'kick' ? found.filter(({ id }) => id === name) : []
  const matches = ids.length > 0 ? ids : found
  const [match, second] = matches
  if (!match)
    return { kind: 'unclear', text: name === '' ? say('nobodyWaits') : say('unknownPlayer', { name }) }
  if (second && name !== '') {
    return { kind: 'unclear', text: say('severalPlayers', { ids: matches.map(({ id }) => id).join(', ') }) }
  }
  return { kind, id: match.id, name: match.name }
}

/** Carries out what the host types: answers to players who want to join, and removals. @returns the answer */
export function obeyHost(
  line: string,
  { service, roomState }: Pick<RoomApi, 'service' | 'roomState'>,
  say: Say,
): string | undefined {
  const read = readHostLine(line, roomState.view(), say)
  if (!read || read.kind === 'unclear') return read?.text
  service.guests()[read.kind](read.id)
  return say(read.kind, { name: read.name })
}
