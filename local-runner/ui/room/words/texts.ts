import type { DoctorRecord, PlayerConnection } from '@lantern-room/room/client'
import { chinese, findingInChinese, status as statusWords } from '@lantern-room/room/client'
import type { RequestProblem } from '../../shared/ask'
import { language, speak } from '../../shared/language'
import type { RoomStatus } from '../state/records'
import { isOnLanOnly } from '../state/statement'
import { isKnown, STAGES } from '../state/steps'
import notices from './notices.json'
import page from './page.json'
import players from './players.json'
import refusals from './refusals.json'

/** The texts of the room page, but those of its status panel and of the players. */
export const say = speak(page)

/** The texts of the players in a room and how they are connected, and of the guests that wait at its door. */
export const playerText = speak(players)

/** What is going on, how far it is, and how to end it. */
export const statusText = speak(statusWords)

/** What players do about a hint, without what only launchers and terminals need. */
const noticeText = speak(notices)

/** Why the service has refused a request. */
const refusalText = speak(refusals)

/** What matters more than the stage, by the code of its hint: the sentence, and the news below it where they are not the hint. */
const MATTERS: Readonly<Record<string, readonly [sentence: StatusKey, news?: StatusKey]>> = {
  'world-lost': ['sentenceWorldLost', 'newsWorldLost'],
  'world-missing': ['sentenceHostingNoWorld', 'newsWorldMissing'],
  'nodes-full': ['sentenceNoNode'],
  'nodes-at-address-limit': ['sentenceNoNode'],
  'room-full': ['sentenceFull'],
  'second-host': ['sentenceSecondHost'],
  'awaiting-room': ['sentenceAwaitingRoom', 'newsAwaitingRoom'],
  'awaiting-host': ['sentenceAwaitingHost', 'newsAwaitingHost'],
  'awaiting-world': ['sentenceAwaitingWorld', 'newsAwaitingWorld'],
  'awaiting-approval': ['sentenceAwaitingApproval', 'newsAwaitingApproval'],
  'world-closed': ['sentenceWorldClosed', 'newsWorldClosed'],
}

type StatusKey = keyof typeof statusWords

/** Describes the current state in one sentence. */
export function sentenceOf(status: RoomStatus): string {
  if (status.state === 'Error') return failureOf(status).error
  const [sentence] = mattersIn(status)
  if (sentence) return statusText(sentence)
  if (status.state === 'Host_Running' && status.gamePort === 0) return statusText('sentenceHostingNoWorld')
  if (isOnLanOnly(status)) return statusText('sentenceLanOnly')
  return isKnown(status.state) ? statusText(STAGES[status.state][0]) : status.state
}

/** What there is to know or to do beside that; undefined for nothing. */
export function newsOf(status: RoomStatus): string | undefined {
  const [, news] = mattersIn(status)
  if (news) return statusText(news)
  return noticeOf(status) ?? (isOnLanOnly(status) ? statusText('lanOnly') : undefined)
}

function mattersIn({ error, hint, hintCode }: RoomStatus): readonly [] | readonly [StatusKey, StatusKey?] {
  return (error === null && hint !== null && MATTERS[hintCode ?? '']) || []
}

/** What the service says to launchers, and players better do not read. */
const SAID_BETTER: Readonly<Record<string, StatusKey>> = {
  'Nobody hosts this room.': 'sentenceNotOpen',
  'The host does not let this player in.': 'sentenceRefused',
  'The room exists, but its second half is another one.': 'sentenceWrongRoom',
  'This wifi lets nobody out who has not logged in.': 'sentenceWifiLogin',
}

/** Why it failed, and what to do. */
export function failureOf({ error, errorCode, hint, hintCode }: RoomStatus) {
  const known =
    Object.entries(chinese.hints).find(([code]) => code === hintCode)?.[1] ??
    Object.entries(chinese.failures).find(([code]) => code === errorCode)?.[1]
  if (language.value === 'zh-CN') return known ?? chinese.failures.internal
  const better = SAID_BETTER[error ?? '']
  return { error: better ? statusText(better) : (error ?? ''), hint: hint ?? '' }
}

/** A finding of the doctor with its remedy. */
export function findingOf({ id, check, text, hint, subject }: DoctorRecord['findings'][number]) {
  if (language.value !== 'zh-CN') return { text, hint: hint ?? undefined }
  const known = findingInChinese(id, subject ?? '') ?? findingInChinese('check-failed', check)
  return { text: known?.text ?? '', hint: hint === null ? undefined : known?.hint }
}

/** What the check of a shared node says, by how it begins or what is in it. */
const NODE_PROBLEMS = [
  [/^not asked/, 'nodeNotAsked'],
  [/^no (answer|handshake)|no route/, 'nodeSilent'],
  [/not a shared node/, 'nodeOther'],
  [/takes no more connections/, 'nodeAddressLimit'],
  [/is full/, 'nodeFull'],
  [/refused|reset|closed/, 'nodeRefused'],
  [/no such host/, 'nodeUnknown'],
] as const

/** Why a node cannot be used: in the page's language where that is known, else in the service's words. */
export function problemOfNode(problem: string): string {
  const known = NODE_PROBLEMS.find(([pattern]) => pattern.test(problem))
  return known ? say(known[1]) : problem
}

/** Why a player is relayed, and what would change that. */
export function relayedOf(relayed: NonNullable<PlayerConnection['relayed']>) {
  const known = Object.entries(chinese.relayed).find(([code]) => code === relayed.code)?.[1]
  return language.value === 'zh-CN' ? (known ?? { text: '', hint: '' }) : relayed
}

/** The action required of the player before the room continues, if any. */
export function noticeOf({ error, hint, hintCode }: RoomStatus): string | undefined {
  if (error !== null || hint === null) return undefined
  if (isNotice(hintCode)) return noticeText(hintCode)
  const known = Object.entries(chinese.notices).find(([code]) => code === hintCode)?.[1]
  return language.value === 'zh-CN' ? known : hint
}

function isNotice(code: string | null): code is keyof typeof notices & string {
  return code !== null && Object.hasOwn(notices, code)
}

/** Why the service has refused a request, by its code, or by the field that it objects to. */
export function refusalOf({ code, detail }: Pick<RequestProblem, 'code' | 'detail'>): string {
  const isOfField = code === 'invalid-request' || code === 'unprocessable'
  const field = isOfField ? /^\w+/.exec(detail)?.[0] : undefined
  return refusalText([field, code].find(isRefusal) ?? 'other')
}

function isRefusal(name: string | undefined): name is keyof typeof refusals {
  return name !== undefined && Object.hasOwn(refusals, name)
}
