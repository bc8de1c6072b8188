import { textIn, type Values } from '@lantern-room/base'
import type { KnownWorld } from '@lantern-room/game'
import english from '../../words/english.json'

/** Actions that a player must take, or events to wait for, before a room goes on; the last two only warn. Stable codes, for programs. */
export type NoticeCode = keyof typeof english.notices
export const NOTICE_CODES = Object.keys(english.notices) as [NoticeCode, ...NoticeCode[]]

export type Notice = {
  readonly code: NoticeCode
  /** One sentence for the player. */
  readonly text: string
  /** Of the world that the player may choose. */
  readonly port?: number | undefined
}

/** @param values what the text names */
export function noticeOf(code: NoticeCode, values: Values = {}): Notice {
  return { code, text: textIn('en', [english.notices[code]], values) }
}

/** For the host's own world. */
export function worldLost({ name, port }: KnownWorld): Notice {
  const world = name === undefined ? `The world on port ${port}` : `Your world “${name}”`
  return noticeOf('world-lost', { world })
}
