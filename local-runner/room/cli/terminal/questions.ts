import type { RoomView } from '@lantern-room/room'
import type { Say } from '@lantern-room/room/words'
import { printable } from '../../../commandLine/readArguments'

type KnownGuest = RoomView['guests'][number]

/** A question that a host was shown: who it is about. */
export type Question = Pick<KnownGuest, 'id' | 'name' | 'state'> & {
  /** Whether it has gone since, by an answer or with the guest; one that comes back is asked about anew. */
  readonly isSettled: boolean
}

export type Questions = ReturnType<typeof createQuestions>

/** How many members without a player are named when several connect at once. */
const MAX_SHOWN = 3

/** How many who wait are named in a line. */
const MAX_NAMED = 8

/** Remembers which question stands last on the screen. docs/decisions.md, D166. */
export function createQuestions() {
  let last: Question | undefined
  return {
    /** To be called with each view that is shown, and the one before. */
    note(view: RoomView, before: RoomView | undefined): void {
      const asked = newQuestions(view, before).shown.at(-1)
      if (asked) last = { id: asked.id, name: asked.name, state: asked.state, isSettled: false }
      else if (last && !isOpen(last, view.guests)) last = { ...last, isSettled: true }
    },
    last: (): Question | undefined => last,
  }
}

/** Whether what was asked is still to be answered. */
export function isOpen(asked: Question, guests: readonly KnownGuest[]): boolean {
  return !asked.isSettled && guests.some((guest) => isSame(guest, asked))
}

/** Requests to join and members without a player, for the host to answer: a line for each. */
export function questionsOf(view: RoomView, before: RoomView | undefined, say: Say): readonly string[] {
  const { shown, left } = newQuestions(view, before)
  const waiting = waitingOf(view.guests)
  return [
    ...shown.flatMap((guest) => QUESTIONS[guest.state]?.(guest, waiting, say) ?? []).map(printable),
    ...(left > 0 ? [say('moreUnregistered', { count: left })] : []),
  ]
}

export function waitingOf(guests: readonly KnownGuest[]): readonly KnownGuest[] {
  return guests.filter(({ state }) => state === 'waiting')
}

/** Names them as they can be typed: by their ids where several have one name. */
export function namesOf(guests: readonly KnownGuest[], say: Say): string {
  const names = guests.slice(0, MAX_NAMED).map(({ id, name }) => {
    const isShared = guests.some((other) => other.id !== id && isNamed(other, name))
    return `“${name}”${isShared ? ` (${id})` : ''}`
  })
  const others = guests.length > MAX_NAMED ? say('others', { count: guests.length - MAX_NAMED }) : ''
  return printable(`${names.join(say('comma'))}${others}`)
}

/** Whether a guest has this name, in any case and as a terminal shows it. */
export function isNamed({ name }: Pick<KnownGuest, 'name'>, typed: string): boolean {
  const [own, wanted] = [name, typed].map((text) => printable(text).normalize('NFC').toLowerCase())
  return own === wanted
}

function newQuestions({ guests }: RoomView, before: RoomView | undefined) {
  const news = guests.filter(
    (guest) => guest.state in QUESTIONS && !before?.guests.some((one) => isSame(one, guest)),
  )
  const unregistered = news.filter(({ state }) => state === 'unregistered')
  const shown = news.filter((one) => !unregistered.includes(one) || unregistered.indexOf(one) < MAX_SHOWN)
  return { shown, left: news.length - shown.length }
}

function isSame(one: Omit<Question, 'isSettled'>, other: Omit<Question, 'isSettled'>): boolean {
  return one.id === other.id && one.name === other.name && one.state === other.state
}

type AskAbout = (guest: KnownGuest, waiting: readonly KnownGuest[], say: Say) => string

const QUESTIONS: Partial<Record<KnownGuest['state'], AskAbout>> = {
  waiting({ name, vendor }, waiting, say) {
    const who = `${name} (${vendor})`
    if (waiting.length === 1) return say('wantsIn', { name: who })
    return say('wantsInBeside', { name: who, waiting: namesOf(waiting, say) })
  },
  unregistered: ({ name, id }, _waiting, say) => say('unregistered', { name, id }),
  'second-host': ({ name, id }, _waiting, say) => say('secondHost', { name, id }),
}
